import { EXIT } from '../../model/failure.js';
import { choice, defineReport } from '../options.js';

// Words come from manifests, which may be anyone's: no shell ever evaluates them.

const BASH = `# campaignctl completion for bash: source <(campaignctl completion bash)
_campaignctl() {
  local word quote='' words=()
  # Bash takes --env=staging apart, and leaves quotes and backslashes in.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    quote=''
    case $word in [\\"\\']*) quote=\${word:0:1} ;; esac
    [[ $word == '=' ]] && continue
    if [[ $quote ]]; then word=\${word:1} word=\${word%"$quote"}; else word=\${word//\\\\/}; fi
    words+=("$word")
  done
  [[ \${COMP_WORDS[COMP_CWORD]} == '=' ]] && words+=('')
  COMPREPLY=()
  while IFS= read -r word; do
    if [[ ! $quote ]]; then COMPREPLY+=("$(printf %q "$word")")
    elif [[ $word != *[\\"\\'\\\\\\$\\\`!]* ]]; then COMPREPLY+=("$word"); fi
  done < <(campaignctl --get-completions "\${words[@]}" 2>/dev/null)
}
complete -o default -F _campaignctl campaignctl
`;

const ZSH = `#compdef campaignctl
# campaignctl completion for zsh: source <(campaignctl completion zsh)
_campaignctl() {
  local -a replies
  # Behind an open quote, zsh has the word without it, and as it is.
  local current=$PREFIX
  [[ -n $compstate[quote] ]] || current=\${(Q)PREFIX}
  replies=("\${(@f)$(campaignctl --get-completions "\${(@Q)words[2,CURRENT-1]}" "$current" 2>/dev/null)}")
  if (( \${#replies} && \${#replies[1]} )); then compadd -a replies; else _files; fi
}
compdef _campaignctl campaignctl
`;

const FISH = `# campaignctl completion for fish: campaignctl completion fish | source
function __campaignctl_complete
  set -l words (commandline -opc | string unescape)
  set -l current (commandline -ct)
  # An open quote has no end that could be taken away.
  if string match -qr '^["\\']' -- $current
    set current (string sub -s 2 -- $current)
  else
    set current (string unescape -- $current)
  end
  set -l replies (campaignctl --get-completions $words[2..-1] "$current" 2>/dev/null)
  if set -q replies[1]
    printf '%s\\n' $replies
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c campaignctl -f -a '(__campaignctl_complete)'
`;

const POWERSHELL = `# campaignctl completion for PowerShell: campaignctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName campaignctl -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
  $current = $wordToComplete.Trim('"', "'")
  # Before 7.3, PowerShell does not pass empty arguments on.
  if ($current -eq '' -and [version]"$($PSVersionTable.PSVersion.Major).$($PSVersionTable.PSVersion.Minor)" -lt [version]'7.3') { $current = '""' }
  campaignctl --get-completions @words $current 2>$null | ForEach-Object {
    $text = if ($_ -match '^[\\w./=:+-]+$') { $_ } else { "'" + $_.Replace("'", "''") + "'" }
    [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
  }
}
`;

const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };

/** Prints the script that a shell sources; it asks the program itself for the words. */
export const command = defineReport({
  positionals: { shell: choice(['bash', 'zsh', 'fish', 'powershell'], 'bash', '') },
  options: {},
  examples: [
    [
      'source <(campaignctl completion bash)',
      'completes commands, options, environments, campaigns and runs',
    ],
    ['campaignctl completion powershell | Out-String | Invoke-Expression', 'the same in PowerShell'],
  ],
  async run({ shell }, _shell, report) {
    const script = SCRIPTS[shell];
    report({ version: 1, command: 'completion', shell, script }, script);
    return EXIT.ok;
  },
});
