import { expect, it } from 'vitest';
import { serviceAddress } from '../../src/model/environment.js';

const of = (base_url: string) => serviceAddress({ sandbox: null, base_url });

it('one service has one address: case, default port and a slash at the end do not count; scheme, port and path do', () => {
  const same = ['https://send.example.com', 'https://SEND.example.com:443/', 'https://send.example.com//'];
  expect(new Set(same.map(of))).toEqual(new Set(['https://send.example.com']));
  const others = ['https://send.example.com:8443', 'https://send.example.com/eu', 'https://eu.example.com'];
  const local = ['http://127.0.0.1:4010', 'https://127.0.0.1:4010', 'http://127.0.0.1'];
  expect(new Set([...same, ...others, ...local].map(of)).size).toBe(7);
  expect(serviceAddress({ sandbox: { profile: 'documented' }, base_url: '' })).toBe('sandbox');
});
