/** `MM/YY` of a provider's month and year, as numbers or texts; null: they are none. */
export function toExpiry(month: unknown, year: unknown): string | null {
  const [monthText, yearText] = [`${month}`, `${year}`]
  return /^(?:0?[1-9]|1[0-2])$/.test(monthText) && /^20\d{2}$/.test(yearText)
    ? `${monthText.padStart(2, '0')}/${yearText.slice(-2)}`
    : null
}
