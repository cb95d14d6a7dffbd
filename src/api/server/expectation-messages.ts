/** A schema's patterns in words and with an example, since a regular expression helps few readers. */
const patterns: Readonly<Record<string, string>> = {
  '^[A-Z]{3}$': 'must be a currency code of three capital letters (ISO 4217), such as EUR',
  '^[A-Z]{2}$': 'must be a country code of two capital letters (ISO 3166-1), such as DE',
  '^[A-Z]{2}-[A-Z0-9]{1,3}$': 'must be a state code with its country (ISO 3166-2), such as US-CA',
  '^\\d{2}/\\d{2}$': 'must be month and year as MM/YY, such as 09/28',
  '^\\+[1-9]\\d{1,14}$': 'must be a telephone number with its country code (E.164), such as +4930123456',
  '^\\d+$': 'must be digits only',
  '^0?\\d$': 'must be an electronic commerce indicator, such as 05',
  '^[12](\\.\\d+){0,2}$': 'must be a version of 3-D Secure, such as 2.2.0',
  '^[a-zA-Z0-9-]+$': 'must be letters, digits and hyphens only, such as shop-berlin',
  '^[0-9]{6}$': 'must be the six digits of a code, such as 123456',
  '^[^\\s@]+@[^\\s@]+$': 'must be an e-mail address, such as ada@example.com',
  '^flow_[a-z0-9_]+$': 'must begin with flow_, such as flow_too_large',
  '^data:application/json;base64,.*$': 'must be a value such as data:application/json;base64,e30=',
}

const formats: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID, such as 8f83187d-a7fb-4e58-aece-b4bdfd622c7c',
  date: 'must be a day of the calendar, such as 2026-11-23',
  'date-time': 'must be a time with its offset from UTC (ISO 8601), such as 2026-11-23T14:30:00Z',
}

/** Ends the names of members in the smallest unit of a currency. */
const amountName = /(amount|price)$/

/** The expectation in words; undefined: the validator's own message is used. */
export function expectationMessage({
  keyword,
  params,
  instancePath,
  data,
}: {
  keyword: string
  params: Record<string, unknown>
  instancePath: string
  data?: unknown
}): string | undefined {
  if (keyword === 'pattern') return patterns[String(params['pattern'])]
  if (keyword === 'format') return formats[String(params['format'])]
  const isFraction = String(params['type']).includes('integer') && typeof data === 'number'
  return isFraction && amountName.test(instancePath)
    ? "must be a whole number of the currency's smallest unit, such as 1299 for USD 12.99"
    : undefined
}
