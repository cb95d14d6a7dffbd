import { countryName } from '../../../page/format.ts'
import type { Address } from './order.schema.ts'

/** The addresses on file of the simulator's buyer, by the names that the page sends. */
export const addressBook = {
  home: {
    address_line_1: '2211 North First Street',
    admin_area_2: 'San Jose',
    admin_area_1: 'CA',
    postal_code: '95131',
    country_code: 'US',
  },
  berlin: { address_line_1: 'Torstraße 1', admin_area_2: 'Berlin', postal_code: '10119', country_code: 'DE' },
  vienna: {
    address_line_1: 'Stephansplatz 3',
    admin_area_2: 'Wien',
    postal_code: '1010',
    country_code: 'AT',
  },
} as const satisfies Record<string, Address>

/** The shipping address unless the buyer chooses another. */
export const addressOnFile: Address = addressBook.home

export const addressNamed = (name: string): Address | undefined =>
  Object.entries(addressBook).find(([id]) => id === name)?.[1]

/** The lines of an address, roughly as its country writes them. */
export function addressLines({
  address_line_1,
  address_line_2,
  admin_area_1,
  admin_area_2,
  postal_code,
  country_code,
}: Address): string[] {
  const locality = [postal_code, admin_area_2, admin_area_1].filter(Boolean).join(' ')
  return [address_line_1, address_line_2, locality, countryName(country_code)].flatMap((line) => line || [])
}

export const isSameAddress = (a: Address, b: Address): boolean =>
  addressLines(a).join('\n') === addressLines(b).join('\n')
