import { expect, test } from 'vitest';
import { mail, said } from './hold.js';

const HOSTS = 'p: { links: { hosts: [example.com, "*.example.com"] } }';
const HTML = (href: string) => `<a href="${href}">x</a>`;

test.each([
  'https://example.com',
  'HTTPS://EXAMPLE.COM:8443/a?b#c',
  'https://www.example.com/{FIRST_NAME}',
  'https://example.com./',
  '//example.com/a',
  ' https://exam&#112;le.com/ ',
  '{https://example.com/a|https://www.example.com/b}',
  'https://example.com/{a|b}',
  'mailto:person@evil.com',
  'tel:+44',
  '#top',
])('%s leads to an allowed host, or is no link', async (href) => {
  expect(await said(HOSTS, mail('One', HTML(href)))).toEqual([]);
});

test.each([
  ['https://evil.com', 'evil.com'],
  ['https://example.com@evil.com/', 'evil.com'],
  ['https://example.com:pass@evil.com/', 'evil.com'],
  ['https://example.com.evil.com/', 'example.com.evil.com'],
  ['https://notexample.com/', 'notexample.com'],
  ['//evil.com/x', 'evil.com'],
  ['https:\\\\evil.com', 'evil.com'],
  ['ht&#9;tps://evil.com', 'evil.com'],
  ['h&#116;tps&colon;//evil.com', 'evil.com'],
  ['{https://example.com/a|https://evil.com/b}', 'evil.com'],
])('%s leads to %s', async (href, host) => {
  expect((await said(HOSTS, mail('One', HTML(href)))).map(([, message]) => message)).toEqual([
    expect.stringMatching(
      new RegExp(`^step 1, email_body: a link, .*, leads to ${host}, which is not an allowed host\\.$`),
    ),
  ]);
});

test.each([
  'https://{HOST}/',
  '{URL}',
  'https://{HOST}.example.com/',
  'https://example.com{HOST}',
  'https://{X}@example.com/',
  'https://{a|b}.example.com/',
  'ht&#10;tps://{HOST}/',
  '{{ link }}',
  'a/b.html',
  'https:evil.com',
])('where %s leads is not known', async (href) => {
  expect((await said(HOSTS, mail('One', HTML(href)))).map(([, message]) => message)).toEqual([
    expect.stringContaining('leads to an unknown host'),
  ]);
});

test.each(['javascript:alert(1)', '&#1;javascript:alert(1)', 'ftp://example.com/', 'data:text/html,x'])(
  '%s is not a web address',
  async (href) => {
    expect((await said(HOSTS, mail('One', HTML(href)))).map(([, message]) => message)).toEqual([
      expect.stringContaining('is not a web address'),
    ]);
  },
);

test('every way to write a link or an image is seen, at its place', async () => {
  const body = `<IMG SRC='https://a.evil.com/x.png'><td background=https://b.evil.com>
<p style="background: url(https://c.evil.com/y)">https://d.evil.com/z.</p>
<a title=" href=https://example.com" href="https://e.evil.com">https://f.evil.com</a> www.g.evil.com
<!-- https://h.evil.com --><img src="cid:logo"><img src="data:image/png;base64,x">`;
  expect(await said(HOSTS, mail('One', body))).toEqual(
    [
      ['8:19+24', 'an image', 'https://a.evil.com/x.png', 'a.evil.com'],
      ['8:60+18', 'an image', 'https://b.evil.com', 'b.evil.com'],
      ['9:35+20', 'an image', 'https://c.evil.com/y', 'c.evil.com'],
      ['9:58+20', 'a link', 'https://d.evil.com/z', 'd.evil.com'],
      ['10:52+18', 'a link', 'https://e.evil.com', 'e.evil.com'],
      ['10:95+14', 'a link', 'www.g.evil.com', 'www.g.evil.com'],
    ].map(([place, kind, text, host]) => [
      `${place} policy/p`,
      `step 1, email_body: ${kind}, ${text}, leads to ${host}, which is not an allowed host.`,
    ]),
  );
});

test('in plain text, addresses are links and tags are none', async () => {
  const body = 'See <https://evil.com/a>, (https://www.example.com) or <a href="x">.';
  expect(await said(HOSTS, mail('One', body, true))).toEqual([
    [
      '8:14+18 policy/p',
      'step 1, email_body: a link, https://evil.com/a, leads to evil.com, which is not an allowed host.',
    ],
  ]);
});

test('the number of links counts what can be clicked in each email', async () => {
  const body =
    '<a href="https://a.example">https://a.example</a> https://b.example <img src="https://c.example"> <a href="tel:1">1</a>';
  expect(await said('p: { links: { most: 2 } }', mail('One', body))).toEqual([]);
  expect(await said('p: { links: { most: 1 } }', mail('One', body))).toEqual([
    ['7:19+1 policy/p', 'step 1, email_body: it has 2 links, more than 1.'],
  ]);
});

test.each([
  ['https://example.com', true],
  ['HTTPS://example.com', true],
  ['{URL}', true],
  ['http://example.com', false],
  ['Http://{HOST}/', false],
  ['//example.com', false],
])('https is asked of %s: %s', async (href, fine) => {
  expect(await said('p: { links: { https: true } }', mail('One', HTML(href)))).toHaveLength(fine ? 0 : 1);
});

test.each([
  ['https://bit.ly/x', false],
  ['https://BIT.LY./x', false],
  ['https://www.bit.ly/x', true],
  ['https://rabbit.ly/x', true],
])('a host that is never allowed, in %s: fine is %s', async (href, fine) => {
  expect(await said('p: { links: { never_hosts: [Bit.ly] } }', mail('One', HTML(href)))).toHaveLength(
    fine ? 0 : 1,
  );
});

test('a host in another script is compared as the network knows it', async () => {
  expect(
    await said(
      'p: { links: { hosts: [bücher.example] } }',
      mail('One', HTML('https://xn--bcher-kva.example/')),
    ),
  ).toEqual([]);
});
