#compdef campaignctl
# campaignctl completion for zsh: source <(campaignctl completion zsh)
_campaignctl() {
  local -a replies
  replies=("${(@f)$(campaignctl --get-completions "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if (( ${#replies} && ${#replies[1]} )); then compadd -a replies; else _files; fi
}
compdef _campaignctl campaignctl
