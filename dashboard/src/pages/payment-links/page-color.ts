/** The colours of the buyer's button: the merchant's, and black or white, whichever is read more easily on it. */
export function buttonColors(color: string): { backgroundColor: string; color: string } | undefined {
  const rgb = readColor(color)
  if (!rgb) return undefined
  const light = luminance(rgb)
  // the contrast with white and with black (WCAG 2.2)
  const isDark = 1.05 / (light + 0.05) >= (light + 0.05) / 0.05
  return { backgroundColor: `rgb(${rgb.join(' ')})`, color: isDark ? '#ffffff' : '#000000' }
}

type Rgb = readonly [number, number, number]

/** A hexadecimal colour or a name, as the browser understands it; undefined: it is no colour. */
function readColor(text: string): Rgb | undefined {
  if (!/^(#[0-9a-f]{3,8}|[a-z]{3,30})$/i.test(text.trim())) return undefined
  const context = document.createElement('canvas').getContext('2d')
  if (!context) return undefined
  // an unknown colour leaves the one before
  context.fillStyle = '#010203'
  context.fillStyle = text.trim()
  const read = String(context.fillStyle)
  if (read === '#010203') return undefined
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/.exec(read)
  if (hex)
    return [
      Number.parseInt(hex[1] ?? '', 16),
      Number.parseInt(hex[2] ?? '', 16),
      Number.parseInt(hex[3] ?? '', 16),
    ]
  const parts = /^rgba\((\d+), (\d+), (\d+)/.exec(read)
  return parts ? [Number(parts[1]), Number(parts[2]), Number(parts[3])] : undefined
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (value: number) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}
