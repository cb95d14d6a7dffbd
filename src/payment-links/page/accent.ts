import type { Rgb } from '../css-colors.ts'

/** A merchant's colour, made fit to be read: each is a CSS colour, `#rrggbb`. */
export interface Accent {
  /** Of buttons. */
  fill: string
  /** Of the text on them: at least 4.5 to 1 against `fill`, as WCAG 2 asks for. */
  onFill: string
  /** Of links, marks and outlines on light paper, and on dark: at least 4.5 to 1 against it. */
  onLight: string
  onDark: string
}

const OURS: Rgb = [11, 81, 193]
const BLACK: Rgb = [0, 0, 0]
const WHITE: Rgb = [255, 255, 255]
/** The cards' and fields' background, `--card` of the style sheet; lighter and darker paper differs by less than the margin below. */
const LIGHT: Rgb = WHITE
const DARK: Rgb = [27, 30, 36]
/** WCAG asks for 4.5; the paper around the cards is a shade off theirs. */
const READABLE = 5.2

/** The accent that a merchant's colour makes; ours where they have none. */
export function accentOf(colour: Rgb = OURS): Accent {
  const onFill = contrast(colour, WHITE) >= contrast(colour, BLACK) ? WHITE : BLACK
  return { fill: hex(colour), onFill: hex(onFill), onLight: hex(readable(colour, LIGHT, BLACK)), onDark: hex(readable(colour, DARK, WHITE)) }
}

/** The colour, as far towards `end` as it takes to be read on `paper`. */
function readable(colour: Rgb, paper: Rgb, end: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(colour, end, share)
    if (contrast(mixed, paper) >= READABLE) return mixed
  }
  return end
}

const mix = (from: Rgb, to: Rgb, share: number): Rgb => {
  const part = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share)
  return [part(0), part(1), part(2)]
}

/** From 1 to 21 (WCAG 2.2, contrast ratio). */
export function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (value: number) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

const hex = (colour: Rgb): string => `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`
