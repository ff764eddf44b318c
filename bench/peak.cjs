// Loaded before a program. Prints its peak memory in KiB when it exits.
process.on('exit', () => process.stderr.write(`\npeak ${process.resourceUsage().maxRSS}\n`));
