const BASH = `# campaignctl completion for bash: source <(campaignctl completion bash)
_campaignctl() {
  local IFS=$'\\n'
  COMPREPLY=( $(compgen -W "$(campaignctl --get-completions "\${COMP_WORDS[@]:0:COMP_CWORD}" "\${COMP_WORDS[COMP_CWORD]}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}") )
}
complete -o default -F _campaignctl campaignctl
`;

const ZSH = `#compdef campaignctl
# campaignctl completion for zsh: source <(campaignctl completion zsh)
_campaignctl() {
  local -a replies
  replies=("\${(@f)$(campaignctl --get-completions "\${words[@]}" 2>/dev/null)}")
  _describe 'campaignctl' replies || _files
}
compdef _campaignctl campaignctl
`;

const FISH = `# campaignctl completion for fish: campaignctl completion fish | source
complete -c campaignctl -a '(campaignctl --get-completions (commandline -opc) (commandline -ct) 2>/dev/null)'
`;

/** The script that a shell sources; it asks the program itself for the words. */
export function completionScript(shell: 'bash' | 'zsh' | 'fish'): string {
  switch (shell) {
    case 'bash':
      return BASH;
    case 'zsh':
      return ZSH;
    case 'fish':
      return FISH;
  }
}
