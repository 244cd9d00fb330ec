"""What mail programs put around the emails that they quote, in many languages."""

ATTRIBUTIONS = (
    "On Mon, Nov 23, 2026 at 2:00 PM Condottiere by email <condottiere@testserver> wrote:",
    "Am Mo., 23. Nov. 2026 um 14:00 Uhr schrieb Condottiere by email <condottiere@testserver>:",
    "Le lun. 23 nov. 2026 à 14:00, Condottiere by email <condottiere@testserver> a écrit :",
    "El lun, 23 nov 2026 a las 14:00, Condottiere by email (<condottiere@testserver>) escribió:",
    "Em seg., 23 de nov. de 2026 às 14:00, Condottiere by email <condottiere@testserver> escreveu:",
    "Il giorno lun 23 nov 2026 alle ore 14:00 Condottiere by email <condottiere@testserver> ha scritto:",
    "Op ma 23 nov 2026 om 14:00 schreef Condottiere by email <condottiere@testserver>:",
    "pon., 23 lis 2026 o 14:00 Condottiere by email <condottiere@testserver> napisał(a):",
    "пн, 23 нояб. 2026\u202fг. в 14:00, Condottiere by email <condottiere@testserver>:",
    "пн, 23 лист. 2026\u202fр. о 14:00 Condottiere by email <condottiere@testserver> пише:",
    "po 23. 11. 2026 v 14:00 odesílatel Condottiere by email <condottiere@testserver> napsal:",
    "po 23. 11. 2026 o 14:00 Condottiere by email <condottiere@testserver> napísal(a):",
    "Den mån 23 nov. 2026 kl 14:00 skrev Condottiere by email <condottiere@testserver>:",
    "Den man. 23. nov. 2026 kl. 14.00 skrev Condottiere by email <condottiere@testserver>:",
    "man. 23. nov. 2026 kl. 14:00 skrev Condottiere by email <condottiere@testserver>:",
    "ma 23. marrask. 2026 klo 14.00 Condottiere by email (condottiere@testserver) kirjoitti:",
    "Condottiere by email <condottiere@testserver> ezt írta (időpont: 2026. nov. 23., H, 14:00):",
    "În lun., 23 nov. 2026 la 14:00, Condottiere by email <condottiere@testserver> a scris:",
    "Στις Δευ 23 Νοε 2026 στις 2:00 μ.μ., ο/η Condottiere by email <condottiere@testserver> έγραψε:",
    "На пн, 23.11.2026 г. в 14:00 Condottiere by email <condottiere@testserver> написа:",
    "Condottiere by email <condottiere@testserver>, 23 Kas 2026 Pzt, 14:00 tarihinde şunu yazdı:",
    "2026年11月23日(月) 14:00 Condottiere by email <condottiere@testserver>:",
    "Condottiere by email <condottiere@testserver> 于2026年11月23日周一 14:00写道：",
    "2026년 11월 23일 (월) 오후 2:00, Condottiere by email <condottiere@testserver>님이 작성:",
    "Vào Th 2, 23 thg 11, 2026 vào lúc 14:00 Condottiere by email <condottiere@testserver> đã viết:",
    "ในวันที่ จ. 23 พ.ย. 2026 เวลา 14:00 Condottiere by email <condottiere@testserver> เขียนว่า:",
    (
        "\u202bבתאריך יום ב׳, 23 בנוב׳ 2026 ב-14:00 מאת \u202aCondottiere "
        "by email\u202c\u200f <\u202acondottiere@testserver\u202c\u200f>:"
    ),
    (
        "في الاثنين، 23 نوفمبر 2026 في 2:00 م تمت كتابة ما يلي بواسطة "
        "Condottiere by email <condottiere@testserver>:"
    ),
    "Am 23.11.26 um 14:00 schrieb Condottiere by email:",
    "23.11.2026 14:00, Condottiere by email пишет:",
    "On 23 Nov 2026, at 14:00, Anna's game wrote:",
)
HEADS = (
    "Fra: Condottiere\nSendt: 23. november 2026 14:00\nTil: Anna\nEmne: Your turn",
    (
        "Från: Condottiere by email <condottiere@testserver>\nSkickat: den 23 november 2026 14:00\n"
        "Till: Anna\nÄmne: x"
    ),
    "Od: Condottiere\nOdesláno: pondělí 23. listopadu 2026 14:00\nKomu: Anna\nPředmět: Your turn",
    "Kimden: Condottiere\nGönderildi: 23 Kasım 2026 Pazartesi 14:00\nKime: Anna\nKonu: Your turn",
    "De : Condottiere\nEnvoyé : lundi 23 novembre 2026 14:00\nÀ : Anna\nObjet : Your turn",
    "差出人: Condottiere\n送信日時: 2026年11月23日 14:00\n宛先: Anna\n件名: Your turn",
    "发件人：Condottiere\n发送时间：2026年11月23日 14:00\n收件人：Anna\n主题：Your turn",
    (
        "*From:* Condottiere by email\n*Sent:* Monday, November 23, 2026 2:00 PM\n"
        "*To:* Anna\n*Subject:* Your turn"
    ),
    (
        "________________________________\nDa: Condottiere\n"
        "Inviato: lunedì 23 novembre 2026 14:00\nA: Anna\nOggetto: x"
    ),
    (
        "-----Oorspronkelijk bericht-----\nVan: Condottiere\n"
        "Verzonden: maandag 23 november 2026 14:00\nAan: Anna"
    ),
)
PHONES = (
    "Sent from my iPhone",
    "Von meinem iPhone gesendet",
    "Envoyé de mon iPhone",
    "Enviado desde mi iPhone",
    "Enviado do meu iPhone",
    "Inviato da iPhone",
    "Verstuurd vanaf mijn iPhone",
    "Wysłane z iPhone'a",
    "Отправлено с iPhone",
    "Надіслано з iPhone",
    "Odesláno z iPhonu",
    "Odoslané z iPhonu",
    "Skickat från min iPhone",
    "Sendt fra min iPhone",
    "Lähetetty iPhonesta",
    "iPhone-ról küldve",
    "Elküldve az iPhone-omról",
    "Trimis de pe iPhone",
    "Στάλθηκε από το iPhone μου",
    "iPhone'umdan gönderildi",
    "Изпратено от моя iPhone",
    "Poslano s mog iPhonea",
    "Poslano z mojega iPhone-a",
    "Послато са мог iPhone-а",
    "iPhoneから送信",
    "나의 iPhone에서 보냄",
    "发自我的iPhone",
    "從我的iPhone傳送",
    "寄自我的 iPhone",
    "ส่งจาก iPhone ของฉัน",
    "Đã gửi từ iPhone của tôi",
    "Dikirim dari iPhone saya",
    "Dihantar dari iPhone saya",
    "נשלח מה-iPhone שלי",
    "أُرسلت من الـ iPhone",
    "Enviat des del meu iPhone",
    "Saadetud minu iPhone'ist",
    "Nosūtīts no mana iPhone",
    "Išsiųsta iš mano iPhone",
    "Skickat från min telefon",
    "Odesláno z mobilu",
    "Sent from my phone",
    "Sent from my Galaxy",
    "Odesláno ze zařízení Galaxy",
    "Enviado do meu Galaxy",
    "Sent with Proton Mail secure email.",
    "Sent from Yahoo Mail on Android",
    "Gesendet mit der GMX Mail App",
    "Отправлено из мобильной Почты Mail",
    "Get Outlook for iOS",
    "Get Outlook for Android<https://aka.ms/AAb9ysg>",
    "Outlook für iOS beziehen",
    "Télécharger Outlook pour iOS",
    "Obtener Outlook para Android",
    "Scarica Outlook per Android",
    "Pobierz aplikację Outlook dla systemu iOS",
    "Získat Outlook pro iOS",
    "Hämta Outlook för iOS",
    "Скачать Outlook для iOS",
    "iOS 用 Outlook を入手する",
    "获取 Outlook for iOS",
)
