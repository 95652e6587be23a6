# The six calls with curl, as the description of the interface gives them.
origin=$1 key=$2 target=$3

call() {
    name=$1
    shift
    body=$(curl --silent --show-error --noproxy '*' --write-out '\n%{http_code}\n%{content_type}' \
        --header "Authorization: Bearer $key" "$@") || exit 1
    type=${body##*"
"}
    body=${body%"
$type"}
    status=${body##*"
"}
    body=${body%"
$status"}
    printf '{"call":"%s","status":%s,"type":"%s","body":%s}\n' "$name" "$status" "$type" "$body"
}

create=$(call create --location --request POST "$origin/api/v1/reports" \
    --header 'Content-Type: application/x-www-form-urlencoded' --data-urlencode "url=$target" --data-urlencode 'privacy=0')
printf '%s\n' "$create"
id=$(printf '%s' "$create" | sed -E 's/.*"data":\{"id":([0-9]+).*/\1/')
call list --location --request GET \
    "$origin/api/v1/reports?search=&search_by=url&project=&result=&sort_by=id&sort=desc&per_page=10" --header 'Accept: application/json'
call show --location --request GET "$origin/api/v1/reports/$id" --header 'Accept: application/json'
call update --location --request PUT "$origin/api/v1/reports/$id" --header 'Content-Type: application/x-www-form-urlencoded' \
    --data-urlencode 'privacy=2' --data-urlencode 'password=pässword &=+%' --data-urlencode 'results=0'
call delete --location --request DELETE "$origin/api/v1/reports/$id" --header 'Accept:'
call account --location --request GET "$origin/api/v1/account" --header 'Accept: application/json'
