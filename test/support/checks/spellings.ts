import fc from 'fast-check'

const hex = (character: string, isSmall: boolean) => {
  const escaped = [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  return isSmall ? escaped : escaped.toUpperCase()
}

/**
 * How one character of a path is written: as it is, escaped, escaped twice, or in capitals where it belongs
 * to a UUID.
 */
const writings: ((character: string, isOfUuid: boolean) => string)[] = [
  (character) => character,
  (character) => hex(character, true),
  (character) => hex(character, false),
  (character, isOfUuid) => (isOfUuid ? character.toUpperCase() : character),
  (character, isOfUuid) => (isOfUuid ? hex(character.toUpperCase(), false) : character),
  (character) => hex(hex(character, false), false),
]

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

const before = ['', '', '', '', 'http://another.example', 'HTTPS://another.example:8080', '/', '/.']
const after = [
  '',
  '',
  '/',
  '/',
  '//',
  '?',
  '?x=1',
  '/?x=%2F',
  '#',
  '/#/x',
  ';x=1',
  '/;x',
  '%2F',
  '%3Fx=1',
  '%00',
  '%',
  '%ff',
]

/**
 * Ways to write a path of which some lead to the same operation and others to none. Mostly few characters are
 * written otherwise, so that many lead there.
 */
export function spellingsOf(path: string): fc.Arbitrary<string> {
  const ofUuids = new Set(
    [...path.matchAll(uuids)].flatMap(({ 0: { length }, index }) =>
      Array.from({ length }, (_, place) => index + place),
    ),
  )
  const characters = [...path]
  const escapes = characters.map((character, index) =>
    character === '/'
      ? fc.constant(character)
      : fc.nat(4).map((turn) => writings[turn]?.(character, ofUuids.has(index)) ?? character),
  )
  const whole = fc.tuple(...escapes).map((parts) => parts.join(''))
  const one = fc
    .tuple(fc.integer({ min: 1, max: characters.length - 1 }), fc.nat(writings.length - 1))
    .map(([at, turn]) =>
      characters
        .map((character, index) =>
          index === at ? (writings[turn]?.(character, ofUuids.has(index)) ?? character) : character,
        )
        .join(''),
    )
  const inCapitals = fc.constant(path.replace(uuids, (id) => id.toUpperCase()))
  return fc
    .tuple(
      fc.constantFrom(...before),
      fc.oneof(fc.constant(path), one, whole, inCapitals),
      fc.constantFrom(...after),
    )
    .map((parts) => parts.join(''))
}

/** Ways to write the name of a header, all of which are that header. */
export const headerSpellings = (name: string): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(
      name,
      name.toUpperCase(),
      name.replace(/(^|-)[a-z]/g, (first) => first.toUpperCase()),
    ),
    fc
      .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
      .map((capitals) =>
        [...name].map((letter, index) => (capitals[index] ? letter.toUpperCase() : letter)).join(''),
      ),
  )

/** Names by which a client means the account's header, and which are not it. */
export const accountHeadersMisspelt: fc.Arbitrary<string> = fc
  .constantFrom(
    'merchant-account-id',
    'x-merchant-account-id',
    'x_svc_merchant_account_id',
    'svc-merchant-account-id',
    'x-svc-api-merchant-account-id',
  )
  .chain(headerSpellings)
