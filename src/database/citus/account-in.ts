import type { QueryConfig } from 'pg'

/** A call of a function, whose first parameter is the account (`sql-function.ts`), or a comparison with it. */
const ACCOUNT = /^select \w+_[0-9a-f]{12}\(\$(1)\b|\bmerchant_account_id = \$(\d+)/

const parameters = new Map<string, number | undefined>()

function parameterOf(text: string): number | undefined {
  if (!parameters.has(text)) {
    const [, first, other] = ACCOUNT.exec(text) ?? []
    const parameter = first ?? other
    parameters.set(text, parameter === undefined ? undefined : Number(parameter))
  }
  return parameters.get(text)
}

/**
 * The merchant account whose rows a hand-written statement is about; undefined: all accounts', or it does not say it in
 * one of the usual forms. Texts are few, so what they say is kept.
 */
export function accountIn({ text, values }: QueryConfig): string | undefined {
  const parameter = parameterOf(text)
  const account: unknown = parameter === undefined ? undefined : values?.[parameter - 1]
  return typeof account === 'string' ? account : undefined
}
