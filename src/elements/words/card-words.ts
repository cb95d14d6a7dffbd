/** The texts of the card form in one language. */
export interface CardWords {
  /** BCP 47. */
  lang: string
  title: string
  fields: {
    number: string
    expiry: string
    /** The form in which the expiry date is typed. */
    expiryForm: string
    code: string
    codeHint: string
    codeHintAmex: string
    name: string
    postalCode: string
  }
  mistakes: {
    numberMissing: string
    numberInvalid: string
    expiryInvalid: string
    expiryPast: string
    codeInvalid: string
    nameMissing: string
    postalCodeMissing: string
  }
}

const en: CardWords = {
  lang: 'en',
  title: 'Card details',
  fields: {
    number: 'Card number',
    expiry: 'Expiry date',
    expiryForm: 'MM / YY',
    code: 'Security code',
    codeHint: '3 digits on the back',
    codeHintAmex: '4 digits on the front',
    name: 'Name on card',
    postalCode: 'Postal code',
  },
  mistakes: {
    numberMissing: 'Enter the card number.',
    numberInvalid: 'This is not a card number. Check the digits.',
    expiryInvalid: 'Enter month and year, such as 09 / 28.',
    expiryPast: 'This card has expired.',
    codeInvalid: 'Enter all digits of the security code.',
    nameMissing: 'Enter the name as it is on the card.',
    postalCodeMissing: 'Enter the postal code of the billing address.',
  },
}

const de: CardWords = {
  lang: 'de',
  title: 'Kartendaten',
  fields: {
    number: 'Kartennummer',
    expiry: 'Gültig bis',
    expiryForm: 'MM / JJ',
    code: 'Prüfziffer',
    codeHint: '3 Ziffern auf der Rückseite',
    codeHintAmex: '4 Ziffern auf der Vorderseite',
    name: 'Name auf der Karte',
    postalCode: 'Postleitzahl',
  },
  mistakes: {
    numberMissing: 'Geben Sie die Kartennummer ein.',
    numberInvalid: 'Das ist keine Kartennummer. Prüfen Sie die Ziffern.',
    expiryInvalid: 'Geben Sie Monat und Jahr ein, zum Beispiel 09 / 28.',
    expiryPast: 'Diese Karte ist abgelaufen.',
    codeInvalid: 'Geben Sie alle Ziffern der Prüfziffer ein.',
    nameMissing: 'Geben Sie den Namen so ein, wie er auf der Karte steht.',
    postalCodeMissing: 'Geben Sie die Postleitzahl der Rechnungsadresse ein.',
  },
}

const fr: CardWords = {
  lang: 'fr',
  title: 'Coordonnées de la carte',
  fields: {
    number: 'Numéro de carte',
    expiry: 'Date d’expiration',
    expiryForm: 'MM / AA',
    code: 'Code de sécurité',
    codeHint: '3 chiffres au dos',
    codeHintAmex: '4 chiffres au recto',
    name: 'Nom sur la carte',
    postalCode: 'Code postal',
  },
  mistakes: {
    numberMissing: 'Saisissez le numéro de la carte.',
    numberInvalid: 'Ce n’est pas un numéro de carte. Vérifiez les chiffres.',
    expiryInvalid: 'Saisissez le mois et l’année, par exemple 09 / 28.',
    expiryPast: 'Cette carte a expiré.',
    codeInvalid: 'Saisissez tous les chiffres du code de sécurité.',
    nameMissing: 'Saisissez le nom tel qu’il figure sur la carte.',
    postalCodeMissing: 'Saisissez le code postal de l’adresse de facturation.',
  },
}

const es: CardWords = {
  lang: 'es',
  title: 'Datos de la tarjeta',
  fields: {
    number: 'Número de tarjeta',
    expiry: 'Fecha de caducidad',
    expiryForm: 'MM / AA',
    code: 'Código de seguridad',
    codeHint: '3 cifras en el reverso',
    codeHintAmex: '4 cifras en el anverso',
    name: 'Nombre en la tarjeta',
    postalCode: 'Código postal',
  },
  mistakes: {
    numberMissing: 'Escriba el número de la tarjeta.',
    numberInvalid: 'No es un número de tarjeta. Revise las cifras.',
    expiryInvalid: 'Escriba el mes y el año, por ejemplo 09 / 28.',
    expiryPast: 'Esta tarjeta ha caducado.',
    codeInvalid: 'Escriba todas las cifras del código de seguridad.',
    nameMissing: 'Escriba el nombre como aparece en la tarjeta.',
    postalCodeMissing: 'Escriba el código postal de la dirección de facturación.',
  },
}

const pt: CardWords = {
  lang: 'pt',
  title: 'Dados do cartão',
  fields: {
    number: 'Número do cartão',
    expiry: 'Data de validade',
    expiryForm: 'MM / AA',
    code: 'Código de segurança',
    codeHint: '3 algarismos no verso',
    codeHintAmex: '4 algarismos na frente',
    name: 'Nome no cartão',
    postalCode: 'Código postal',
  },
  mistakes: {
    numberMissing: 'Introduza o número do cartão.',
    numberInvalid: 'Não é um número de cartão. Verifique os algarismos.',
    expiryInvalid: 'Introduza o mês e o ano, por exemplo 09 / 28.',
    expiryPast: 'Este cartão expirou.',
    codeInvalid: 'Introduza todos os algarismos do código de segurança.',
    nameMissing: 'Introduza o nome como está no cartão.',
    postalCodeMissing: 'Introduza o código postal da morada de faturação.',
  },
}

const ptBR: CardWords = {
  lang: 'pt-BR',
  title: 'Dados do cartão',
  fields: {
    number: 'Número do cartão',
    expiry: 'Validade',
    expiryForm: 'MM / AA',
    code: 'Código de segurança',
    codeHint: '3 dígitos no verso',
    codeHintAmex: '4 dígitos na frente',
    name: 'Nome no cartão',
    postalCode: 'CEP',
  },
  mistakes: {
    numberMissing: 'Digite o número do cartão.',
    numberInvalid: 'Isto não é um número de cartão. Confira os dígitos.',
    expiryInvalid: 'Digite o mês e o ano, por exemplo 09 / 28.',
    expiryPast: 'Este cartão venceu.',
    codeInvalid: 'Digite todos os dígitos do código de segurança.',
    nameMissing: 'Digite o nome como está no cartão.',
    postalCodeMissing: 'Digite o CEP do endereço de cobrança.',
  },
}

const it: CardWords = {
  lang: 'it',
  title: 'Dati della carta',
  fields: {
    number: 'Numero della carta',
    expiry: 'Data di scadenza',
    expiryForm: 'MM / AA',
    code: 'Codice di sicurezza',
    codeHint: '3 cifre sul retro',
    codeHintAmex: '4 cifre sul fronte',
    name: 'Nome sulla carta',
    postalCode: 'Codice postale',
  },
  mistakes: {
    numberMissing: 'Inserisca il numero della carta.',
    numberInvalid: 'Non è un numero di carta. Controlli le cifre.',
    expiryInvalid: 'Inserisca mese e anno, ad esempio 09 / 28.',
    expiryPast: 'Questa carta è scaduta.',
    codeInvalid: 'Inserisca tutte le cifre del codice di sicurezza.',
    nameMissing: 'Inserisca il nome come appare sulla carta.',
    postalCodeMissing: 'Inserisca il codice postale dell’indirizzo di fatturazione.',
  },
}

const nl: CardWords = {
  lang: 'nl',
  title: 'Kaartgegevens',
  fields: {
    number: 'Kaartnummer',
    expiry: 'Vervaldatum',
    expiryForm: 'MM / JJ',
    code: 'Beveiligingscode',
    codeHint: '3 cijfers op de achterkant',
    codeHintAmex: '4 cijfers op de voorkant',
    name: 'Naam op de kaart',
    postalCode: 'Postcode',
  },
  mistakes: {
    numberMissing: 'Vul het kaartnummer in.',
    numberInvalid: 'Dit is geen kaartnummer. Controleer de cijfers.',
    expiryInvalid: 'Vul maand en jaar in, bijvoorbeeld 09 / 28.',
    expiryPast: 'Deze kaart is verlopen.',
    codeInvalid: 'Vul alle cijfers van de beveiligingscode in.',
    nameMissing: 'Vul de naam in zoals die op de kaart staat.',
    postalCodeMissing: 'Vul de postcode van het factuuradres in.',
  },
}

const ja: CardWords = {
  lang: 'ja',
  title: 'カード情報',
  fields: {
    number: 'カード番号',
    expiry: '有効期限',
    expiryForm: '月 / 年',
    code: 'セキュリティコード',
    codeHint: '裏面の3桁の数字',
    codeHintAmex: '表面の4桁の数字',
    name: 'カード名義人',
    postalCode: '郵便番号',
  },
  mistakes: {
    numberMissing: 'カード番号を入力してください。',
    numberInvalid: 'カード番号が正しくありません。数字をご確認ください。',
    expiryInvalid: '有効期限を「09 / 28」のように入力してください。',
    expiryPast: 'このカードは有効期限が切れています。',
    codeInvalid: 'セキュリティコードをすべて入力してください。',
    nameMissing: 'カードに記載のとおりに名義人を入力してください。',
    postalCodeMissing: '請求先住所の郵便番号を入力してください。',
  },
}

/** English first: it is used where no other language fits. */
export const cardWords: readonly CardWords[] = [en, de, fr, es, pt, ptBR, it, nl, ja]
