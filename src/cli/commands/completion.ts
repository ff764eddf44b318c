import { basename } from 'node:path';
import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import { type CompletedShell, type Flags, SHELLS } from '../commands.js';
import type { Shell } from '../shell.js';

export async function run({ shell: asked }: Flags<'completion'>, shell: Shell): Promise<ExitCode> {
  const own = basename(shell.env.SHELL ?? '');
  const name = asked ?? SHELLS.find((known) => known === own);
  if (name === undefined)
    throw usage(
      own === '' ? 'SHELL is not set.' : `There is no completion for ${own}.`,
      `Name the shell: campaignctl completion ${SHELLS.join('|')}.`,
    );
  shell.out(SCRIPTS[name]);
  return EXIT.ok;
}

/** Each runs `campaignctl --complete SHELL LINE`, whose first line says what the others are (`complete.ts`). */
const SCRIPTS: { [Name in CompletedShell]: string } = {
  bash: `# Completion for bash. Add this line to ~/.bashrc:
#   source <(campaignctl completion bash)
_campaignctl() {
  local line kind=
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$kind" ]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <("\${1/#\\~/$HOME}" --complete bash "\${COMP_LINE:0:$COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  # bash 3.2, which macOS has, knows no compopt and offers files where there is nothing else.
  case $kind in
    files) ;;
    folders) compopt -o dirnames +o default 2>/dev/null ;;
    prefix) compopt -o nospace 2>/dev/null ;;
    *) compopt +o default 2>/dev/null ;;
  esac
}
complete -o default -F _campaignctl campaignctl
`,
  zsh: `#compdef campaignctl
# Completion for zsh. Add this line to ~/.zshrc, below compinit:
#   source <(campaignctl completion zsh)
_campaignctl() {
  local kind line
  local -a lines values shown
  lines=("\${(@f)$("\${(Q)words[1]/#\\~/$HOME}" --complete zsh "\${(j: :)words[1,CURRENT-1]} $QIPREFIX$IPREFIX$PREFIX" 2>/dev/null)}")
  kind=$lines[1]
  for line in "\${(@)lines[2,-1]}"; do
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done
  case $kind in
    files) [[ $PREFIX = --*=* ]] && compset -P '*='; _files ;;
    folders) [[ $PREFIX = --*=* ]] && compset -P '*='; _files -/ ;;
    prefix) compadd -S '' -l -d shown -a values ;;
    *) compadd -l -d shown -a values ;;
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _campaignctl "$@"
else
  compdef _campaignctl campaignctl
fi
`,
  fish: `# Completion for fish. Save it once:
#   campaignctl completion fish > ~/.config/fish/completions/campaignctl.fish
function __campaignctl_complete
  set -l program (commandline -opc)[1]
  set -l lines ($program --complete fish (commandline -cp | string collect) 2>/dev/null)
  set -l word (commandline -ct | string collect)
  set -l option (string match -r -- '^--[a-z-]+=' $word)
  set -l path (string replace -r -- '^--[a-z-]+=' '' $word)
  switch "$lines[1]"
    case files
      for file in (__fish_complete_path $path)
        echo "$option$file"
      end
    case folders
      for folder in (__fish_complete_directories $path)
        echo "$option$folder"
      end
    case '*'
      printf '%s\\n' $lines[2..-1]
  end
end
complete -c campaignctl -f -a '(__campaignctl_complete)'
`,
};
