export const merchantProfileWords = {
  merchant_acquirer_bin: 'Acquirer BIN',
  merchant_acquirer_id: 'Merchant id at the acquirer',
  merchant_name: 'Merchant name',
  merchant_country_code: 'Country code',
  merchant_category_code: 'Category code',
  merchant_url: 'Website',
  hints: {
    merchant_acquirer_bin: 'Of the acquirer for this scheme, up to 11 digits.',
    merchant_acquirer_id: 'Up to 35 characters.',
    merchant_name: 'What the cardholder is shown.',
    merchant_country_code: 'ISO 3166-1 numeric, such as 840.',
    merchant_category_code: 'Four digits, ISO 18245.',
    merchant_url: 'Begins with https://',
  },
} as const
