<?php
// The six calls with PHP's curl, the way the examples of such services show them.
[, $origin, $key, $target] = $argv;

function call(string $name, string $method, string $path, string|array|null $fields = null): array
{
    global $origin, $key;
    $handle = curl_init($origin . $path);
    $headers = ["Authorization: Bearer $key"];
    if ($method === 'GET') {
        $headers[] = 'Accept: application/json';
    }
    curl_setopt_array($handle, [CURLOPT_RETURNTRANSFER => true, CURLOPT_CUSTOMREQUEST => $method, CURLOPT_HTTPHEADER => $headers]);
    if ($fields !== null) {
        curl_setopt($handle, CURLOPT_POSTFIELDS, $fields);
    }
    $body = json_decode(curl_exec($handle), true);
    $line = ['call' => $name, 'status' => curl_getinfo($handle, CURLINFO_RESPONSE_CODE), 'type' => curl_getinfo($handle, CURLINFO_CONTENT_TYPE), 'body' => $body];
    echo json_encode($line), "\n";
    return $body;
}

// An array is sent as multipart/form-data, a string as application/x-www-form-urlencoded.
$made = call('create', 'POST', '/api/v1/reports', ['url' => $target, 'privacy' => 0]);
$path = '/api/v1/reports/' . $made['data']['id'];
call('list', 'GET', '/api/v1/reports?search=&search_by=url&project=&result=&sort_by=id&sort=desc&per_page=10');
call('show', 'GET', $path);
call('update', 'PUT', $path, http_build_query(['privacy' => 2, 'password' => 'pässword &=+%', 'results' => 0]));
call('delete', 'DELETE', $path);
call('account', 'GET', '/api/v1/account');
