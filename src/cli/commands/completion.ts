import { EXIT } from '../../model/failure.js';
import { choice, defineCommand } from '../options.js';

const BASH = `# campaignctl completion for bash: source <(campaignctl completion bash)
_campaignctl() {
  local IFS=$'\\n'
  COMPREPLY=( $(compgen -W "$(campaignctl --get-completions "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}") )
}
complete -o default -F _campaignctl campaignctl
`;

const ZSH = `#compdef campaignctl
# campaignctl completion for zsh: source <(campaignctl completion zsh)
_campaignctl() {
  local -a replies
  replies=("\${(@f)$(campaignctl --get-completions "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${#replies} && \${#replies[1]} )); then compadd -a replies; else _files; fi
}
compdef _campaignctl campaignctl
`;

const FISH = `# campaignctl completion for fish: campaignctl completion fish | source
complete -c campaignctl -a '(campaignctl --get-completions (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`;

const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH };

/** Prints the script that a shell sources; it asks the program itself for the words. */
export const command = defineCommand({
  positionals: { shell: choice(['bash', 'zsh', 'fish'], 'bash', '') },
  options: {},
  examples: [['source <(campaignctl completion bash)', 'completes commands, options and their values']],
  async run(flags, shell) {
    shell.out(SCRIPTS[flags.shell]);
    return EXIT.ok;
  },
});
