// Loaded before the program: tells at its end how much memory it took at most, in KiB.
process.on('exit', () => process.stderr.write(`\npeak ${process.resourceUsage().maxRSS}`));
