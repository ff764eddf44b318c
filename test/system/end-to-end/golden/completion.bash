# campaignctl completion for bash: source <(campaignctl completion bash)
_campaignctl() {
  local word quote='' words=()
  # Bash takes --env=staging apart, and leaves quotes and backslashes in.
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    quote=''
    case $word in [\"\']*) quote=${word:0:1} ;; esac
    [[ $word == '=' ]] && continue
    if [[ $quote ]]; then word=${word:1} word=${word%"$quote"}; else word=${word//\\/}; fi
    words+=("$word")
  done
  [[ ${COMP_WORDS[COMP_CWORD]} == '=' ]] && words+=('')
  COMPREPLY=()
  while IFS= read -r word; do
    if [[ ! $quote ]]; then COMPREPLY+=("$(printf %q "$word")")
    elif [[ $word != *[\"\'\\\$\`!]* ]]; then COMPREPLY+=("$word"); fi
  done < <(campaignctl --get-completions "${words[@]}" 2>/dev/null)
}
complete -o default -F _campaignctl campaignctl
