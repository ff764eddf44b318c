# campaignctl completion for fish: campaignctl completion fish | source
function __campaignctl_complete
  set -l words (commandline -opc | string unescape)
  set -l current (commandline -ct)
  # An open quote has no end that could be taken away.
  if string match -qr '^["\']' -- $current
    set current (string sub -s 2 -- $current)
  else
    set current (string unescape -- $current)
  end
  set -l replies (campaignctl --get-completions $words[2..-1] "$current" 2>/dev/null)
  if set -q replies[1]
    printf '%s\n' $replies
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c campaignctl -f -a '(__campaignctl_complete)'
