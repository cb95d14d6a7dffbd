import type { World } from '../../world.ts'

/** The folders of the icons' URLs. */
export type IconKind = 'card-schemes' | 'payment-methods'

/** The URL of the icon of a card scheme or payment method. */
export const iconUrl = ({ publicUrl }: Pick<World, 'publicUrl'>, kind: IconKind, id: string): string =>
  `${publicUrl}/assets/${kind}/${id}.svg`

const MAX_INITIALS = 2

/** The first letters of a name's words; of a single word the first two: `Diners Club` is DC, `Visa` is VI. */
export function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? []
  const letters = words.length > 1 ? words.map((word) => word.slice(0, 1)) : [...(words[0] ?? '')]
  return letters.slice(0, MAX_INITIALS).join('').toUpperCase()
}

/**
 * A neutral tile in the proportions of a payment card, with the name's initials: the real marks belong to
 * their owners, who license them to merchants.
 */
export const icon = (
  name: string,
): string => `<svg xmlns="http://www.w3.org/2000/svg" width="48" height="32" viewBox="0 0 48 32" role="img">
<title>${escapeXml(name)}</title>
<rect x=".5" y=".5" width="47" height="31" rx="4.5" fill="#f3f2ee" stroke="#c9c6bd"/>
<text x="24" y="21" font-family="system-ui, sans-serif" font-size="14" font-weight="600" text-anchor="middle" fill="#3b3a34">${escapeXml(initialsOf(name))}</text>
</svg>
`

const escapeXml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
