#compdef campaignctl
# campaignctl completion for zsh: source <(campaignctl completion zsh)
_campaignctl() {
  local -a replies
  # Behind an open quote, zsh has the word without it, and as it is.
  local current=$PREFIX
  [[ -n $compstate[quote] ]] || current=${(Q)PREFIX}
  replies=("${(@f)$(campaignctl --get-completions "${(@Q)words[2,CURRENT-1]}" "$current" 2>/dev/null)}")
  if (( ${#replies} && ${#replies[1]} )); then compadd -a replies; else _files; fi
}
compdef _campaignctl campaignctl
