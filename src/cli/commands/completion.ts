import { EXIT, type ExitCode } from '../../model/failure.js';
import type { Shell } from '../shell.js';

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
export type CompletionShell = keyof typeof SCRIPTS;

/** Prints the script that a shell sources; it asks the program itself for the words. */
export async function completion(name: CompletionShell, shell: Shell): Promise<ExitCode> {
  shell.out(SCRIPTS[name]);
  return EXIT.ok;
}
