/** Forms of JSON text that JSON.stringify never makes; each takes a well-formed text. */
const malformations: ((body: string, turn: number) => string | Buffer)[] = [
  (body) => body.replace(/-?\d+(\.\d+)?/, '1e400'),
  (body) => body.replace(/-?\d+(\.\d+)?/, '-1e400'),
  (body) => body.replace(/-?\d+(\.\d+)?/, '-0'),
  (body) => body.replace(/-?\d+(\.\d+)?/, '9'.repeat(400)),
  (body) => body.replace(/-?\d+(\.\d+)?/, '0.1e-400'),
  (body) => body.replace(/-?\d+(\.\d+)?/, '100.00000000000000000001'),
  (body) => body.replace(/-?\d+(\.\d+)?/, '007'),
  (body) => body.replace(/-?\d+(\.\d+)?/, 'NaN'),
  (body) => body.replace(/-?\d+(\.\d+)?/, '0x10'),
  // a duplicate member: libraries differ in which one they take
  (body) => body.replace(/("[^"\\]*":)("[^"\\]*"|\d+)/, '$1$2,$10'),
  (body) => body.replace(/("[^"\\]*":)("[^"\\]*"|\d+)/, '$1$2,$1null'),
  (body) => body.replace('{', '{"__proto__":{"amount":1,"isAdmin":true},'),
  (body) => body.replace('{', '{"constructor":{"prototype":{"polluted":1}},'),
  (body) => body.replace('{', '{"\\u005f_proto__":{"polluted":1},'),
  (body) => body.replace(/:[^,}]*/, `:${'['.repeat(10_000)}${']'.repeat(10_000)}`),
  (body) => body.replace(/:[^,}]*/, `:${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
  () => '['.repeat(100_000),
  (body) => body.replace(/"[^"\\]*"/, '"\\u0000"'),
  (body) => body.replace(/:"[^"\\]*"/, ':"\\ud800"'),
  (body) => body.replace(/:"[^"\\]*"/, ':"\\udfff\\ud800"'),
  (body) => body.replace(/:"[^"\\]*"/, `:"${'\u0301'.repeat(3_000)}"`),
  (body) => body.replace(/:"[^"\\]*"/, ':"\u202e\ufeff\u2028\ufdfd𝕏"'),
  (body) => body.replace(/:"[^"\\]*"/, ':"a\u0000b"'),
  (body, turn) => body.slice(0, turn % (body.length + 1)),
  (body) => `${body}${body}`,
  (body) => `\ufeff${body}`,
  (body) => `${body}\u0000`,
  (body) => Buffer.from(body, 'utf16le'),
  (body) =>
    Buffer.concat([
      Buffer.from(body.slice(0, -1)),
      Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
      Buffer.from('}'),
    ]),
  (body) => body.replaceAll('"', "'"),
  (body) => `//${body}`,
  (body) => `${' '.repeat(900_000)}${body}`,
  (body) => `${body.slice(0, -1)}${',"x":0'.repeat(60_000)}}`,
  (body) => `[${body}]`,
  () => '"text"',
  () => 'null',
  () => '',
]

/** The text, malformed in the way that `turn` selects. */
export const malformedJson = (body: string, turn: number): string | Buffer =>
  malformations[turn % malformations.length]?.(body, turn) ?? body
