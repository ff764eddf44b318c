# campaignctl completion for fish: campaignctl completion fish | source
function __campaignctl_complete
  set -l replies (campaignctl --get-completions (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  if set -q replies[1]
    printf '%s\n' $replies
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c campaignctl -f -a '(__campaignctl_complete)'
