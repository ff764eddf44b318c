// Loaded before the program. Runs its clock FASTER times as fast, starting at NOW, and after a while shifts the wall clock by JUMP
// milliseconds. Timers of 30 seconds or more, such as network timeouts, keep their real length.
import promises from 'node:timers/promises';

const speed = Number(process.env.FASTER);
const [start, jump] = [Number(process.env.NOW), Number(process.env.JUMP)];
const since = performance.now.bind(performance);
const began = since();
const gone = () => (since() - began) * speed;
performance.now = () => began + gone();

const now = () => Math.round(start + gone() + (gone() > 3_000 ? jump : 0));
globalThis.Date = class extends Date {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given));
  }

  static now() {
    return now();
  }
};

const uptime = process.hrtime.bigint.bind(process.hrtime);
process.hrtime.bigint = () => uptime() * BigInt(speed);

const scaled = (ms) => (ms < 30_000 ? ms / speed : ms);
const { setTimeout: later } = globalThis;
globalThis.setTimeout = (then, ms, ...given) => later(then, scaled(ms ?? 0), ...given);
const { setInterval: every } = globalThis;
globalThis.setInterval = (then, ms, ...given) => every(then, scaled(ms ?? 0), ...given);
const { setTimeout: wait } = promises;
promises.setTimeout = (ms, ...given) => wait((ms ?? 0) / speed, ...given);
