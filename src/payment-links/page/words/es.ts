import type { Words } from './words.ts'

export const es: Words = {
  lang: 'es',
  sandbox: 'Entorno de pruebas: no se mueve dinero.',
  payTitle: (merchant) => `Pagar a ${merchant}`,
  order: 'Tu pedido',
  quantity: (count) => `Cantidad: ${count}`,
  total: 'Total',
  payWith: '¿Cómo quieres pagar?',
  redirectHint: (method) => `Irás a ${method} para aprobar el pago y luego volverás aquí.`,
  storedCard: { ending: 'terminada en', expires: (date) => `Caduca ${date}` },
  otherCard: 'Otra tarjeta',
  keepsCard: (merchant) => `Tu tarjeta se guarda de forma segura para tus próximos pagos a ${merchant}.`,
  pay: (amount) => `Pagar ${amount}`,
  reserves: (merchant) => `El importe se reserva ahora. ${merchant} lo cobrará más adelante.`,
  confirm: 'Confirmar',
  goOn: (method) => `Continuar con ${method}`,
  paying: 'Pagando…',
  private: (merchant) => `Los datos de tu tarjeta van cifrados y ${merchant} nunca los ve.`,
  acceptTerms: (merchant) => `Al pagar aceptas los términos y condiciones de ${merchant}`,
  newTab: '(se abre en otra pestaña)',
  noScript:
    'Los datos de tu tarjeta van directamente de tu navegador al sistema de pago, que necesita JavaScript. Actívalo y vuelve a cargar esta página.',
  declined: {
    title: 'El pago no se ha realizado',
    details: 'Algún dato de la tarjeta no es correcto. Revísalos e inténtalo de nuevo.',
    card: 'Esta tarjeta no se puede usar aquí. Prueba con otra tarjeta u otra forma de pago.',
    bank: 'Tu banco ha rechazado el pago. Prueba con otra tarjeta o contacta con tu banco.',
    unconfirmed: 'No has confirmado el pago. No se ha cobrado nada: inténtalo de nuevo o paga de otra forma.',
    other: 'Esta forma de pago ha sido rechazada. Prueba con otra.',
    later:
      'No se ha podido realizar ahora y no se ha cobrado nada. Inténtalo dentro de unos minutos o paga de otra forma.',
  },
  troubles: {
    tooMany: 'Demasiados intentos. Espera un minuto e inténtalo de nuevo.',
    offline: 'No hay conexión. Comprueba la tuya; esta página mira por sí sola si has pagado.',
    failed: 'Algo ha fallado y no se ha cobrado nada. Inténtalo de nuevo.',
  },
  processing: {
    title: 'Tu pago se está procesando',
    text: 'Esta página continúa por sí sola. No pagues otra vez, por favor.',
  },
  approval: {
    title: 'Has empezado a pagar',
    text: 'Tu pago espera tu aprobación. Continúa donde estabas o elige otra forma de pago.',
    goOn: 'Continuar',
    otherWay: 'Pagar de otra forma',
  },
  completed: {
    title: 'Gracias',
    paid: (amount, merchant) => `Has pagado ${amount} a ${merchant}.`,
    booking: (amount, merchant) =>
      `Tu pago de ${amount} a ${merchant} ha sido aceptado y se está completando.`,
    reserved: (amount, merchant) =>
      `${amount} han quedado reservados para ${merchant}. Aún no se ha cobrado nada.`,
    kept: (merchant) =>
      `A partir de ahora ${merchant} puede cobrar en tu tarjeta. Aún no se ha cobrado nada.`,
    checked: 'Tu tarjeta ha sido comprobada. No se ha cobrado nada.',
  },
  released: {
    title: 'El pago se ha anulado',
    text: (amount, merchant) => `${merchant} ha liberado los ${amount}. No se ha cobrado nada.`,
  },
  expired: {
    title: 'Este enlace de pago ha caducado',
    text: (merchant) => `No se ha cobrado nada. Pide a ${merchant} un enlace nuevo.`,
  },
  exhausted: {
    title: 'Este enlace ya no admite pagos',
    text: (merchant) =>
      `Se han rechazado demasiados pagos aquí. No se ha cobrado nada. Pide a ${merchant} un enlace nuevo.`,
  },
  unavailable: {
    title: 'Ahora no se puede pagar aquí',
    text: (merchant) => `No se ha cobrado nada. Inténtalo más tarde o pregunta a ${merchant} cómo pagar.`,
  },
  unknown: {
    title: 'Este enlace de pago no existe',
    text: 'Puede que el enlace esté incompleto. Ábrelo de nuevo desde donde lo recibiste.',
  },
  failed: {
    title: 'Esta página no funciona en este momento',
    text: 'Vuelve a cargarla dentro de un momento. Nada se paga dos veces.',
  },
  backTo: (merchant) => `Volver a ${merchant}`,
}
