import type { DeclineAdvice } from './decline-advice.ts'

/** What a buyer is told after a refused payment, in one language. */
export type DeclineWords = Readonly<Record<DeclineAdvice, string>>

/** Each language has a name of its own, so that a page that needs one alone is built without the others. */
export const en: DeclineWords = {
  details: 'Something in the card details is not right. Check them and try again.',
  card: 'This card cannot be used here. Try another card or another way to pay.',
  bank: 'Your bank has declined the payment. Try another card, or contact your bank.',
  unconfirmed: 'You have not confirmed the payment. Nothing was charged: try again, or pay another way.',
  other: 'This way to pay was refused. Try another one.',
  later:
    'The payment could not be made just now, and nothing was charged. Try again in a few minutes, or pay another way.',
}

export const de: DeclineWords = {
  details: 'Bei den Kartendaten stimmt etwas nicht. Prüfen Sie sie und versuchen Sie es noch einmal.',
  card: 'Diese Karte kann hier nicht verwendet werden. Versuchen Sie es mit einer anderen Karte oder Zahlungsart.',
  bank: 'Ihre Bank hat die Zahlung abgelehnt. Versuchen Sie es mit einer anderen Karte, oder wenden Sie sich an Ihre Bank.',
  unconfirmed:
    'Sie haben die Zahlung nicht bestätigt. Es wurde nichts abgebucht: Versuchen Sie es noch einmal, oder zahlen Sie auf andere Weise.',
  other: 'Diese Zahlungsart wurde abgelehnt. Versuchen Sie es mit einer anderen.',
  later:
    'Die Zahlung war gerade nicht möglich, und es wurde nichts abgebucht. Versuchen Sie es in einigen Minuten noch einmal, oder zahlen Sie auf andere Weise.',
}

export const fr: DeclineWords = {
  details: 'Les données de la carte ne sont pas correctes. Vérifiez-les et réessayez.',
  card: 'Cette carte ne peut pas être utilisée ici. Essayez une autre carte ou un autre moyen de paiement.',
  bank: 'Votre banque a refusé le paiement. Essayez une autre carte ou contactez votre banque.',
  unconfirmed: 'Vous n’avez pas confirmé le paiement. Rien n’a été débité : réessayez ou payez autrement.',
  other: 'Ce moyen de paiement a été refusé. Essayez-en un autre.',
  later:
    'Le paiement est impossible pour le moment et rien n’a été débité. Réessayez dans quelques minutes ou payez autrement.',
}

export const es: DeclineWords = {
  details: 'Hay un error en los datos de la tarjeta. Compruébelos e inténtelo de nuevo.',
  card: 'Esta tarjeta no se puede usar aquí. Pruebe con otra tarjeta u otra forma de pago.',
  bank: 'Su banco ha rechazado el pago. Pruebe con otra tarjeta o hable con su banco.',
  unconfirmed: 'No ha confirmado el pago. No se ha cobrado nada: inténtelo de nuevo o pague de otra forma.',
  other: 'Esta forma de pago se ha rechazado. Pruebe con otra.',
  later:
    'Ahora no se ha podido hacer el pago y no se ha cobrado nada. Inténtelo de nuevo en unos minutos o pague de otra forma.',
}

export const pt: DeclineWords = {
  details: 'Há um erro nos dados do cartão. Verifique-os e tente novamente.',
  card: 'Este cartão não pode ser usado aqui. Tente outro cartão ou outra forma de pagamento.',
  bank: 'O seu banco recusou o pagamento. Tente outro cartão ou contacte o seu banco.',
  unconfirmed: 'Não confirmou o pagamento. Nada foi cobrado: tente novamente ou pague de outra forma.',
  other: 'Esta forma de pagamento foi recusada. Tente outra.',
  later:
    'De momento não foi possível fazer o pagamento e nada foi cobrado. Tente novamente dentro de minutos ou pague de outra forma.',
}

export const ptBR: DeclineWords = {
  details: 'Há um erro nos dados do cartão. Verifique-os e tente novamente.',
  card: 'Este cartão não pode ser usado aqui. Tente outro cartão ou outra forma de pagamento.',
  bank: 'Seu banco recusou o pagamento. Tente outro cartão ou fale com seu banco.',
  unconfirmed: 'Você não confirmou o pagamento. Nada foi cobrado: tente novamente ou pague de outra forma.',
  other: 'Esta forma de pagamento foi recusada. Tente outra.',
  later:
    'No momento não foi possível fazer o pagamento e nada foi cobrado. Tente novamente em alguns minutos ou pague de outra forma.',
}

export const it: DeclineWords = {
  details: 'I dati della carta non sono corretti. Li controlli e riprovi.',
  card: 'Questa carta non può essere usata qui. Provi un’altra carta o un altro metodo di pagamento.',
  bank: 'La sua banca ha rifiutato il pagamento. Provi un’altra carta o contatti la sua banca.',
  unconfirmed:
    'Il pagamento non è stato confermato. Non è stato addebitato nulla: riprovi o paghi in altro modo.',
  other: 'Questo metodo di pagamento è stato rifiutato. Ne provi un altro.',
  later:
    'Al momento il pagamento non è riuscito e non è stato addebitato nulla. Riprovi tra qualche minuto o paghi in altro modo.',
}

export const nl: DeclineWords = {
  details: 'Er klopt iets niet in de kaartgegevens. Controleer ze en probeer het opnieuw.',
  card: 'Deze kaart kan hier niet worden gebruikt. Probeer een andere kaart of betaalmethode.',
  bank: 'Uw bank heeft de betaling geweigerd. Probeer een andere kaart of neem contact op met uw bank.',
  unconfirmed:
    'U hebt de betaling niet bevestigd. Er is niets afgeschreven: probeer het opnieuw of betaal anders.',
  other: 'Deze betaalmethode is geweigerd. Probeer een andere.',
  later:
    'De betaling lukte op dit moment niet en er is niets afgeschreven. Probeer het over een paar minuten opnieuw of betaal anders.',
}

export const ja: DeclineWords = {
  details: 'カード情報に誤りがあります。ご確認のうえ、もう一度お試しください。',
  card: 'このカードはご利用いただけません。別のカードまたは別のお支払い方法をお試しください。',
  bank: '銀行がお支払いを拒否しました。別のカードをお試しいただくか、銀行にお問い合わせください。',
  unconfirmed:
    'お支払いが承認されませんでした。請求は行われていません。もう一度お試しいただくか、別の方法でお支払いください。',
  other: 'このお支払い方法は拒否されました。別の方法をお試しください。',
  later:
    '現在お支払いができませんでした。請求は行われていません。数分後にもう一度お試しいただくか、別の方法でお支払いください。',
}
