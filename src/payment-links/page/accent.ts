import type { Rgb } from '../css-colors.ts'

/** The page's accent colours, made from the merchant's colour. Each is a CSS colour, `#rrggbb`. */
export interface Accent {
  /** Background of buttons. */
  fill: string
  /** Text of buttons: its contrast against `fill` is at least 4.5 to 1 (WCAG 2). */
  onFill: string
  /**
   * Links, marks and outlines in the light and in the dark theme: the contrast against the background is at
   * least 4.5 to 1.
   */
  onLight: string
  onDark: string
}

/** Railyard's colour. */
const DEFAULT: Rgb = [11, 81, 193]
const BLACK: Rgb = [0, 0, 0]
const WHITE: Rgb = [255, 255, 255]
/**
 * The background of cards and fields, `--card` of the style sheet. That of the page differs by less than the
 * margin of `READABLE`.
 */
const LIGHT: Rgb = WHITE
const DARK: Rgb = [27, 30, 36]
/** WCAG asks for 4.5; the margin covers the page's background, which is a shade off that of its cards. */
const READABLE = 5.2

/** The accent of a merchant's colour; without one, Railyard's. */
export function accentOf(colour: Rgb = DEFAULT): Accent {
  const onFill = contrast(colour, WHITE) >= contrast(colour, BLACK) ? WHITE : BLACK
  return {
    fill: hex(colour),
    onFill: hex(onFill),
    onLight: hex(readable(colour, LIGHT, BLACK)),
    onDark: hex(readable(colour, DARK, WHITE)),
  }
}

/** Mixes the colour with as much of `end` as it takes to be readable on `background`. */
function readable(colour: Rgb, background: Rgb, end: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(colour, end, share)
    if (contrast(mixed, background) >= READABLE) return mixed
  }
  return end
}

const mix = (from: Rgb, to: Rgb, share: number): Rgb => {
  const part = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share)
  return [part(0), part(1), part(2)]
}

/** The contrast ratio of two colours, from 1 to 21 (WCAG 2.2). */
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
