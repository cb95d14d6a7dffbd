import type { Locator, Page } from 'playwright-core'

/** Waits until a text can be seen. A toast and a dialog that closes may show it, too. */
export async function see(
  where: Page | Locator,
  text: string | RegExp,
  options?: { exact: boolean },
): Promise<void> {
  await where.getByText(text, options).filter({ visible: true }).first().waitFor()
}
