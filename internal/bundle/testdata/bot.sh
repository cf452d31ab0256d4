while read -r line; do
  case "$line" in
  *Name*Norway*) echo '{"text": "Bergen"}' ;;
  *Origin*) echo '{"text": "Darwin"}' ;;
  *Norway*) echo '{"text": "Oslo"}' ;;
  *Italy*) echo '{"text": "Milan"}' ;;
  *Peru*) echo '{"text": "I do not know."}' ;;
  *Quarkistan*) echo '{"text": "I do not know."}' ;;
  *12\ plus*|*12\ and*) echo '{"text": "19"}' ;;
  *) echo '{"text": "Paris"}' ;;
  esac
done
