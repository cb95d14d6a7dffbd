/** What a form can carry; members that are undefined or null are left out. */
export type FormValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly FormValue[]
  | { readonly [name: string]: FormValue }

/** A body as Stripe takes it: nested members and lists in brackets, `card[number]`, `expand[0]`. */
export function toForm(body: Readonly<Record<string, FormValue>>): Record<string, string> {
  return Object.fromEntries(Object.entries(body).flatMap(([name, value]) => fieldsOf(name, value)))
}

function fieldsOf(name: string, value: FormValue): [string, string][] {
  if (value === undefined || value === null) return []
  if (typeof value !== 'object') return [[name, String(value)]]
  return Object.entries(value).flatMap(([member, inner]: [string, FormValue]) =>
    fieldsOf(`${name}[${member}]`, inner),
  )
}
