import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** The six calls with java.net.http, which first offers to upgrade every connection to HTTP/2. */
public class Client {
    static String origin, key;
    static final HttpClient client = HttpClient.newHttpClient();

    static String call(String name, String method, String path, String form) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(origin + path)).header("Authorization", "Bearer " + key);
        if (form != null) request.header("Content-Type", "application/x-www-form-urlencoded");
        if (method.equals("GET")) request.header("Accept", "application/json");
        var body = form == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(form);
        var answer = client.send(request.method(method, body).build(), HttpResponse.BodyHandlers.ofString());
        var type = answer.headers().firstValue("content-type").orElse("");
        System.out.printf("{\"call\":\"%s\",\"status\":%d,\"type\":\"%s\",\"body\":%s}%n", name, answer.statusCode(), type, answer.body());
        return answer.body();
    }

    static String field(String name, String value) {
        return name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    public static void main(String[] arguments) throws Exception {
        origin = arguments[0];
        key = arguments[1];
        var made = call("create", "POST", "/api/v1/reports", field("url", arguments[2]) + "&privacy=0");
        var id = Pattern.compile("\"id\":\\s*(\\d+)").matcher(made);
        id.find();
        var path = "/api/v1/reports/" + id.group(1);
        call("list", "GET", "/api/v1/reports?search=&search_by=url&project=&result=&sort_by=id&sort=desc&per_page=10", null);
        call("show", "GET", path, null);
        call("update", "PUT", path, "privacy=2&" + field("password", "p\u00e4ssword &=+%") + "&results=0");
        call("delete", "DELETE", path, null);
        call("account", "GET", "/api/v1/account", null);
    }
}
