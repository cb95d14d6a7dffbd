import * as declinedIn from '../../checkout/decline-words.ts'

/** The texts of a checkout in one language. `{name}` stands for what the script puts there. */
export interface CheckoutWords {
  /** BCP 47. */
  lang: string
  title: string
  payWith: string
  loading: string
  /** No payment method fits. */
  none: string
  stored: { ending: string; expires: string }
  redirectHint: string
  giftCard: {
    add: string
    number: string
    pin: string
    apply: string
    remove: string
    pays: string
    left: string
    refused: string
    empty: string
  }
  declined: declinedIn.DeclineWords
  troubles: {
    /** It is not known whether the payment was made. */
    offline: string
    refused: string
    tooMany: string
    /** The session or the token is over. */
    over: string
    failed: string
  }
  challenge: { title: string; cancel: string; leave: string }
  returned: { title: string; back: string }
}

const en: CheckoutWords = {
  lang: 'en',
  title: 'Payment',
  payWith: 'How would you like to pay?',
  loading: 'Loading the ways to pay…',
  none: 'You cannot pay here just now. Nothing was charged.',
  stored: { ending: '{scheme} ending in {digits}', expires: 'Expires {date}' },
  redirectHint: 'You go on to {method} to approve the payment, and come back here.',
  giftCard: {
    add: 'Pay with a gift card',
    number: 'Gift card number',
    pin: 'PIN',
    apply: 'Use gift card',
    remove: 'Remove the gift card ending in {digits}',
    pays: 'The gift card ending in {digits} pays {amount}.',
    left: '{amount} is left to pay.',
    refused: 'This gift card cannot be used. Check the number and the PIN.',
    empty: 'There is no money on this gift card.',
  },
  declined: declinedIn.en,
  troubles: {
    offline:
      'There is no connection, and we do not know yet whether you have paid. Try again: nothing is paid twice.',
    refused: 'This was not accepted, and nothing was charged. Try another way to pay.',
    tooMany: 'That was too often. Wait a minute and try again.',
    over: 'This checkout has expired, and nothing was charged. Load the page again.',
    failed: 'Something went wrong here, and nothing was charged. Try again.',
  },
  challenge: {
    title: 'Your bank asks you to confirm',
    cancel: 'Cancel the payment',
    leave: 'Open in the whole window',
  },
  returned: { title: 'You can go back to the shop', back: 'Back to the shop' },
}

const de: CheckoutWords = {
  lang: 'de',
  title: 'Zahlung',
  payWith: 'Wie möchten Sie bezahlen?',
  loading: 'Die Zahlungsarten werden geladen …',
  none: 'Hier kann gerade nicht bezahlt werden. Es wurde nichts abgebucht.',
  stored: { ending: '{scheme} mit den Endziffern {digits}', expires: 'Gültig bis {date}' },
  redirectHint: 'Sie bestätigen die Zahlung bei {method} und kommen dann hierher zurück.',
  giftCard: {
    add: 'Mit einer Geschenkkarte bezahlen',
    number: 'Nummer der Geschenkkarte',
    pin: 'PIN-Code',
    apply: 'Geschenkkarte verwenden',
    remove: 'Die Geschenkkarte mit den Endziffern {digits} entfernen',
    pays: 'Die Geschenkkarte mit den Endziffern {digits} zahlt {amount}.',
    left: 'Es bleiben {amount} zu zahlen.',
    refused: 'Diese Geschenkkarte kann nicht verwendet werden. Prüfen Sie Nummer und PIN.',
    empty: 'Auf dieser Geschenkkarte ist kein Guthaben.',
  },
  declined: declinedIn.de,
  troubles: {
    offline:
      'Es gibt keine Verbindung, und wir wissen noch nicht, ob Sie bezahlt haben. Versuchen Sie es noch einmal: Nichts wird doppelt bezahlt.',
    refused: 'Das wurde nicht angenommen, und es wurde nichts abgebucht. Nehmen Sie eine andere Zahlungsart.',
    tooMany: 'Das war zu oft. Warten Sie eine Minute und versuchen Sie es noch einmal.',
    over: 'Diese Zahlung ist abgelaufen, und es wurde nichts abgebucht. Laden Sie die Seite neu.',
    failed: 'Hier ist etwas schiefgegangen, und es wurde nichts abgebucht. Versuchen Sie es noch einmal.',
  },
  challenge: {
    title: 'Ihre Bank bittet um Bestätigung',
    cancel: 'Zahlung abbrechen',
    leave: 'Im ganzen Fenster öffnen',
  },
  returned: { title: 'Sie können zum Shop zurückkehren', back: 'Zurück zum Shop' },
}

const fr: CheckoutWords = {
  lang: 'fr',
  title: 'Paiement',
  payWith: 'Comment souhaitez-vous payer ?',
  loading: 'Chargement des moyens de paiement…',
  none: 'Le paiement est impossible pour le moment. Rien n’a été débité.',
  stored: { ending: '{scheme} se terminant par {digits}', expires: 'Expire le {date}' },
  redirectHint: 'Vous confirmez le paiement chez {method}, puis vous revenez ici.',
  giftCard: {
    add: 'Payer avec une carte cadeau',
    number: 'Numéro de la carte cadeau',
    pin: 'Code PIN',
    apply: 'Utiliser la carte cadeau',
    remove: 'Retirer la carte cadeau se terminant par {digits}',
    pays: 'La carte cadeau se terminant par {digits} paie {amount}.',
    left: 'Il reste {amount} à payer.',
    refused: 'Cette carte cadeau ne peut pas être utilisée. Vérifiez le numéro et le code PIN.',
    empty: 'Il n’y a pas d’argent sur cette carte cadeau.',
  },
  declined: declinedIn.fr,
  troubles: {
    offline:
      'Il n’y a pas de connexion et nous ne savons pas encore si vous avez payé. Réessayez : rien n’est payé deux fois.',
    refused: 'Ceci n’a pas été accepté et rien n’a été débité. Essayez un autre moyen de paiement.',
    tooMany: 'Trop de tentatives. Attendez une minute et réessayez.',
    over: 'Ce paiement a expiré et rien n’a été débité. Rechargez la page.',
    failed: 'Une erreur s’est produite ici et rien n’a été débité. Réessayez.',
  },
  challenge: {
    title: 'Votre banque vous demande de confirmer',
    cancel: 'Annuler le paiement',
    leave: 'Ouvrir dans toute la fenêtre',
  },
  returned: { title: 'Vous pouvez revenir à la boutique', back: 'Retour à la boutique' },
}

const es: CheckoutWords = {
  lang: 'es',
  title: 'Pago',
  payWith: '¿Cómo quiere pagar?',
  loading: 'Cargando las formas de pago…',
  none: 'Ahora no se puede pagar aquí. No se ha cobrado nada.',
  stored: { ending: '{scheme} terminada en {digits}', expires: 'Caduca el {date}' },
  redirectHint: 'Confirmará el pago en {method} y volverá aquí.',
  giftCard: {
    add: 'Pagar con una tarjeta regalo',
    number: 'Número de la tarjeta regalo',
    pin: 'Código PIN',
    apply: 'Usar la tarjeta regalo',
    remove: 'Quitar la tarjeta regalo terminada en {digits}',
    pays: 'La tarjeta regalo terminada en {digits} paga {amount}.',
    left: 'Quedan {amount} por pagar.',
    refused: 'Esta tarjeta regalo no se puede usar. Compruebe el número y el PIN.',
    empty: 'Esta tarjeta regalo no tiene saldo.',
  },
  declined: declinedIn.es,
  troubles: {
    offline: 'No hay conexión y todavía no sabemos si ha pagado. Inténtelo de nuevo: nada se paga dos veces.',
    refused: 'Esto no se ha aceptado y no se ha cobrado nada. Pruebe con otra forma de pago.',
    tooMany: 'Demasiados intentos. Espere un minuto e inténtelo de nuevo.',
    over: 'Este pago ha caducado y no se ha cobrado nada. Vuelva a cargar la página.',
    failed: 'Algo ha fallado aquí y no se ha cobrado nada. Inténtelo de nuevo.',
  },
  challenge: {
    title: 'Su banco le pide que confirme',
    cancel: 'Cancelar el pago',
    leave: 'Abrir en toda la ventana',
  },
  returned: { title: 'Puede volver a la tienda', back: 'Volver a la tienda' },
}

const pt: CheckoutWords = {
  lang: 'pt',
  title: 'Pagamento',
  payWith: 'Como pretende pagar?',
  loading: 'A carregar as formas de pagamento…',
  none: 'De momento não é possível pagar aqui. Nada foi cobrado.',
  stored: { ending: '{scheme} terminado em {digits}', expires: 'Válido até {date}' },
  redirectHint: 'Confirma o pagamento em {method} e volta aqui.',
  giftCard: {
    add: 'Pagar com um cartão-presente',
    number: 'Número do cartão-presente',
    pin: 'Código PIN',
    apply: 'Usar o cartão-presente',
    remove: 'Remover o cartão-presente terminado em {digits}',
    pays: 'O cartão-presente terminado em {digits} paga {amount}.',
    left: 'Faltam pagar {amount}.',
    refused: 'Este cartão-presente não pode ser usado. Verifique o número e o PIN.',
    empty: 'Este cartão-presente não tem saldo.',
  },
  declined: declinedIn.pt,
  troubles: {
    offline: 'Não há ligação e ainda não sabemos se pagou. Tente novamente: nada é pago duas vezes.',
    refused: 'Isto não foi aceite e nada foi cobrado. Tente outra forma de pagamento.',
    tooMany: 'Demasiadas tentativas. Espere um minuto e tente novamente.',
    over: 'Este pagamento expirou e nada foi cobrado. Recarregue a página.',
    failed: 'Algo correu mal aqui e nada foi cobrado. Tente novamente.',
  },
  challenge: {
    title: 'O seu banco pede que confirme',
    cancel: 'Cancelar o pagamento',
    leave: 'Abrir em toda a janela',
  },
  returned: { title: 'Pode voltar à loja', back: 'Voltar à loja' },
}

const ptBR: CheckoutWords = {
  ...pt,
  lang: 'pt-BR',
  payWith: 'Como você quer pagar?',
  loading: 'Carregando as formas de pagamento…',
  none: 'No momento não é possível pagar aqui. Nada foi cobrado.',
  redirectHint: 'Você confirma o pagamento em {method} e volta para cá.',
  declined: declinedIn.ptBR,
  troubles: {
    ...pt.troubles,
    offline: 'Não há conexão e ainda não sabemos se você pagou. Tente novamente: nada é pago duas vezes.',
    refused: 'Isto não foi aceito e nada foi cobrado. Tente outra forma de pagamento.',
    tooMany: 'Foram muitas tentativas. Espere um minuto e tente novamente.',
    failed: 'Algo deu errado aqui e nada foi cobrado. Tente novamente.',
  },
  challenge: {
    title: 'Seu banco pede que você confirme',
    cancel: 'Cancelar o pagamento',
    leave: 'Abrir na janela inteira',
  },
  returned: { title: 'Você pode voltar para a loja', back: 'Voltar para a loja' },
}

const it: CheckoutWords = {
  lang: 'it',
  title: 'Pagamento',
  payWith: 'Come desidera pagare?',
  loading: 'Caricamento dei metodi di pagamento…',
  none: 'Al momento non è possibile pagare qui. Non è stato addebitato nulla.',
  stored: { ending: '{scheme} che termina con {digits}', expires: 'Scade il {date}' },
  redirectHint: 'Conferma il pagamento presso {method} e poi torna qui.',
  giftCard: {
    add: 'Paga con una carta regalo',
    number: 'Numero della carta regalo',
    pin: 'Codice PIN',
    apply: 'Usa la carta regalo',
    remove: 'Rimuovi la carta regalo che termina con {digits}',
    pays: 'La carta regalo che termina con {digits} paga {amount}.',
    left: 'Restano da pagare {amount}.',
    refused: 'Questa carta regalo non può essere usata. Controlli il numero e il PIN.',
    empty: 'Questa carta regalo non ha credito.',
  },
  declined: declinedIn.it,
  troubles: {
    offline: 'Non c’è connessione e non sappiamo ancora se ha pagato. Riprovi: nulla viene pagato due volte.',
    refused: 'Non è stato accettato e non è stato addebitato nulla. Provi un altro metodo di pagamento.',
    tooMany: 'Troppi tentativi. Attenda un minuto e riprovi.',
    over: 'Questo pagamento è scaduto e non è stato addebitato nulla. Ricarichi la pagina.',
    failed: 'Qualcosa è andato storto e non è stato addebitato nulla. Riprovi.',
  },
  challenge: {
    title: 'La sua banca le chiede di confermare',
    cancel: 'Annulla il pagamento',
    leave: 'Apri a tutta finestra',
  },
  returned: { title: 'Può tornare al negozio', back: 'Torna al negozio' },
}

const nl: CheckoutWords = {
  lang: 'nl',
  title: 'Betaling',
  payWith: 'Hoe wilt u betalen?',
  loading: 'De betaalmethoden worden geladen…',
  none: 'U kunt hier op dit moment niet betalen. Er is niets afgeschreven.',
  stored: { ending: '{scheme} eindigend op {digits}', expires: 'Geldig tot {date}' },
  redirectHint: 'U bevestigt de betaling bij {method} en komt dan hier terug.',
  giftCard: {
    add: 'Betalen met een cadeaukaart',
    number: 'Nummer van de cadeaukaart',
    pin: 'Pincode',
    apply: 'Cadeaukaart gebruiken',
    remove: 'De cadeaukaart eindigend op {digits} verwijderen',
    pays: 'De cadeaukaart eindigend op {digits} betaalt {amount}.',
    left: 'Er blijft {amount} te betalen.',
    refused: 'Deze cadeaukaart kan niet worden gebruikt. Controleer het nummer en de pincode.',
    empty: 'Er staat geen geld op deze cadeaukaart.',
  },
  declined: declinedIn.nl,
  troubles: {
    offline:
      'Er is geen verbinding en we weten nog niet of u hebt betaald. Probeer het opnieuw: niets wordt dubbel betaald.',
    refused: 'Dit is niet geaccepteerd en er is niets afgeschreven. Probeer een andere betaalmethode.',
    tooMany: 'Dat was te vaak. Wacht een minuut en probeer het opnieuw.',
    over: 'Deze betaling is verlopen en er is niets afgeschreven. Laad de pagina opnieuw.',
    failed: 'Er ging hier iets mis en er is niets afgeschreven. Probeer het opnieuw.',
  },
  challenge: {
    title: 'Uw bank vraagt u te bevestigen',
    cancel: 'Betaling annuleren',
    leave: 'In het hele venster openen',
  },
  returned: { title: 'U kunt terug naar de winkel', back: 'Terug naar de winkel' },
}

const ja: CheckoutWords = {
  lang: 'ja',
  title: 'お支払い',
  payWith: 'お支払い方法をお選びください',
  loading: 'お支払い方法を読み込んでいます…',
  none: '現在こちらではお支払いいただけません。請求は行われていません。',
  stored: { ending: '末尾が{digits}の{scheme}', expires: '有効期限 {date}' },
  redirectHint: '{method}でお支払いを承認した後、こちらに戻ります。',
  giftCard: {
    add: 'ギフトカードで支払う',
    number: 'ギフトカード番号',
    pin: '暗証番号',
    apply: 'ギフトカードを使う',
    remove: '末尾が{digits}のギフトカードを外す',
    pays: '末尾が{digits}のギフトカードで{amount}を支払います。',
    left: '残りのお支払いは{amount}です。',
    refused: 'このギフトカードは使えません。番号と暗証番号をご確認ください。',
    empty: 'このギフトカードには残高がありません。',
  },
  declined: declinedIn.ja,
  troubles: {
    offline:
      '接続がなく、お支払いが完了したかどうかまだ分かりません。もう一度お試しください。二重に支払われることはありません。',
    refused: '受け付けられませんでした。請求は行われていません。別のお支払い方法をお試しください。',
    tooMany: '回数が多すぎます。1分待ってからもう一度お試しください。',
    over: 'このお支払いの有効期限が切れました。請求は行われていません。ページを再読み込みしてください。',
    failed: '問題が発生しました。請求は行われていません。もう一度お試しください。',
  },
  challenge: {
    title: '銀行が確認を求めています',
    cancel: '支払いをキャンセルする',
    leave: 'ウィンドウ全体で開く',
  },
  returned: { title: 'ショップに戻ることができます', back: 'ショップに戻る' },
}

/** English first: it is used where no other language fits. */
export const checkoutWords: readonly CheckoutWords[] = [en, de, fr, es, pt, ptBR, it, nl, ja]
