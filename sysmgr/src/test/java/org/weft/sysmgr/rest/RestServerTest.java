package org.weft.sysmgr.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.Problem;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.protocol.wire.VolumeRow;

/** The REST interface as its users see it: what each path gives, and how failures look. */
final class RestServerTest {
  private static final Endpoint ANY = new Endpoint("127.0.0.1", 0);

  private final HttpClient http = HttpClient.newHttpClient();
  private final ObjectMapper json = new ObjectMapper();
  private CompletionStage<ClusterStatus> status = CompletableFuture.completedFuture(sample());
  private RestServer server;

  @BeforeEach
  void start() throws IOException {
    server = RestServer.start(ANY, ClusterRoutes.of(() -> status));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static ClusterStatus sample() {
    AddressMessage address = AddressMessage.newBuilder().setHost("127.0.0.1").setPort(7400).build();
    ClusterTable table =
        ClusterTable.newBuilder()
            .setVersion(12)
            .setClusterId("0123456789abcdef0123456789abcdef")
            .setClusterName("laptop")
            .addOsds(
                OsdRow.newBuilder()
                    .setOsdId(3)
                    .setState(NodeState.UP)
                    .setHost("<script>alert(1)</script>")
                    .addAddresses(address)
                    .setCapacityBytes(4L << 30)
                    .setUsedBytes(1L << 30)
                    .setIdentity("abc"))
            .addManagers(
                ManagerRow.newBuilder()
                    .setManagerId(1)
                    .setState(NodeState.DOWN)
                    .addAddresses(address))
            .addVolumes(VolumeRow.newBuilder().setVolumeId(1).setPath("/").setEpoch(5))
            .build();
    return ClusterStatus.newBuilder()
        .setTable(table)
        .addVolumes(VolumeHealth.newBuilder().setVolumeId(1).setState("serving").setFiles(9))
        .addProblems(
            Problem.newBuilder()
                .setSeverity("warning")
                .setWhat("a \"quoted\" problem & more")
                .setAdvice("do something"))
        .addSysmgrs(address)
        .setDurability("write-back")
        .build();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://" + server.address() + path));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode get(int expectedStatus, String path) throws Exception {
    HttpResponse<String> response = send(request(path));
    assertEquals(expectedStatus, response.statusCode(), response::body);
    assertTrue(
        response.headers().firstValue("Content-Type").orElse("").startsWith("application/json"));
    return json.readTree(response.body());
  }

  @Test
  void theStatusHoldsTableProblemsAndMembers() throws Exception {
    JsonNode status = get(200, "/api/v1/status");
    assertEquals("laptop", status.at("/table/clusterName").asText());
    assertEquals("warning", status.at("/problems/0/severity").asText());
    assertEquals("do something", status.at("/problems/0/advice").asText());
    assertEquals("127.0.0.1:7400", status.at("/sysmgrs/0").asText());
    assertEquals("write-back", status.at("/durability").asText());
  }

  @Test
  void theTableAndItsPartsHaveTheirOwnPaths() throws Exception {
    assertEquals(12, get(200, "/api/v1/table").at("/version").asInt());
    assertEquals(3, get(200, "/api/v1/osds").at("/0/id").asInt());
    JsonNode osd = get(200, "/api/v1/osds/3");
    assertEquals("UP", osd.at("/state").asText());
    assertEquals(4L << 30, osd.at("/capacityBytes").asLong());
    JsonNode volume = get(200, "/api/v1/volumes").at("/0");
    assertEquals("/", volume.at("/path").asText());
    assertEquals(5, volume.at("/epoch").asInt());
    assertEquals(9, volume.at("/health/files").asInt());
  }

  @Test
  void aLiveMemberIsHealthyAndOneThatCannotAnswerIsNot() throws Exception {
    assertEquals("ok", get(200, "/healthz").at("/status").asText());
    status =
        CompletableFuture.failedFuture(
            new WeftException(ErrorCode.NOT_LEADER, "ask 10.0.0.1:7300"));
    JsonNode failure = get(503, "/healthz");
    assertEquals("NOT_LEADER", failure.at("/code").asText());
    assertEquals("ask 10.0.0.1:7300", failure.at("/message").asText());
  }

  @Test
  void aMemberThatKnowsNoLeaderIsNotHealthy() throws Exception {
    status =
        CompletableFuture.completedFuture(
            ClusterStatus.newBuilder()
                .addProblems(
                    Problem.newBuilder()
                        .setName("sysmgr-no-leader")
                        .setWhat("SysMgr has no leader"))
                .build());
    JsonNode failure = get(503, "/healthz");
    assertEquals("UNAVAILABLE", failure.at("/code").asText());
    assertEquals("SysMgr has no leader", failure.at("/message").asText());
  }

  @Test
  void failuresSayWhatWasWrong() throws Exception {
    assertEquals("NOT_FOUND", get(404, "/api/v1/osds/4").at("/code").asText());
    assertEquals("INVALID_ARGUMENT", get(400, "/api/v1/osds/four").at("/code").asText());
    assertEquals("NOT_FOUND", get(404, "/nothing").at("/code").asText());
    HttpResponse<String> posted =
        send(request("/api/v1/status").POST(HttpRequest.BodyPublishers.noBody()));
    assertEquals(405, posted.statusCode());
    assertTrue(posted.body().contains("takes GET"), posted::body);
  }

  @Test
  void aRequestThatIsNotHttpHarmsNoOther() throws Exception {
    try (Socket socket = new Socket("127.0.0.1", server.address().port())) {
      socket.getOutputStream().write("nonsense\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      assertTrue(socket.getInputStream().readAllBytes().length > 0);
    }
    get(200, "/healthz");
  }

  @Test
  void thePageIsReadableRefreshesItselfAndEscapes() throws Exception {
    HttpResponse<String> page = send(request("/"));
    assertEquals(200, page.statusCode());
    assertTrue(page.headers().firstValue("Content-Type").orElse("").startsWith("text/html"));
    String html = page.body();
    assertTrue(html.contains("laptop"));
    assertTrue(html.contains("http-equiv=\"refresh\""));
    assertTrue(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assertTrue(html.contains("a &quot;quoted&quot; problem &amp; more"));
    assertFalse(html.contains("<script"));
    assertFalse(html.contains("http://"), "something is fetched from elsewhere");
    assertTrue(html.contains("1.0 GiB (25 %)"), html);
  }

  @Test
  void thePageOfAMemberThatCannotAnswerSaysWhy() throws Exception {
    status =
        CompletableFuture.failedFuture(new WeftException(ErrorCode.NOT_LEADER, "ask <another>"));
    String html = send(request("/")).body();
    assertTrue(html.contains("ask &lt;another&gt;"), html);
  }

  @Test
  void addedRoutesComeFirstAndGetTheirVariablesAndBody() throws Exception {
    server.addRoutes(
        new RestRoutes()
            .post(
                "/api/v1/quickstart/osds/{id}/stop",
                request ->
                    CompletableFuture.completedFuture(
                        RestReply.json(
                            Map.of("stopped", request.variable("id"), "said", request.body()))))
            .get("/healthz", request -> CompletableFuture.completedFuture(RestReply.json("mine"))));
    HttpResponse<String> stopped =
        send(
            request("/api/v1/quickstart/osds/3/stop")
                .POST(HttpRequest.BodyPublishers.ofString("please")));
    assertEquals(200, stopped.statusCode(), stopped::body);
    assertEquals("3", json.readTree(stopped.body()).at("/stopped").asText());
    assertEquals("please", json.readTree(stopped.body()).at("/said").asText());
    assertEquals("mine", get(200, "/healthz").asText());
    assertEquals(12, get(200, "/api/v1/table").at("/version").asInt());
  }

  @Test
  void aHandlerThatFailsIsAnError() throws Exception {
    server.addRoutes(
        new RestRoutes()
            .get(
                "/api/v1/busy",
                request -> {
                  throw new WeftException(ErrorCode.BUSY, "later");
                }));
    assertEquals("later", get(409, "/api/v1/busy").at("/message").asText());
  }

  @Test
  void aForeignNameThatPointsToLoopbackReadsNothing() throws Exception {
    String refused = raw("GET /api/v1/status HTTP/1.1\r\nHost: evil.example\r\n");
    assertTrue(refused.startsWith("HTTP/1.1 403"), refused);
    String answered = raw("GET /api/v1/status HTTP/1.1\r\nHost: localhost:7301\r\n");
    assertTrue(answered.startsWith("HTTP/1.1 200"), answered);
  }

  @Test
  void aPageOfAnotherOriginChangesNothing() throws Exception {
    int[] calls = new int[1];
    server.addRoutes(
        new RestRoutes()
            .post(
                "/api/v1/act",
                request -> {
                  calls[0]++;
                  return CompletableFuture.completedFuture(RestReply.json("done"));
                }));
    HttpRequest.Builder post = request("/api/v1/act").POST(HttpRequest.BodyPublishers.noBody());
    assertEquals(403, send(post.copy().header("Origin", "http://evil.example")).statusCode());
    assertEquals(0, calls[0]);
    String own = "http://" + server.address();
    assertEquals(200, send(post.copy().header("Origin", own)).statusCode());
    assertEquals(200, send(post).statusCode());
    assertTrue(
        raw("POST /api/v1/act HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n")
            .contains("403"));
    assertEquals(2, calls[0]);
  }

  private String raw(String head) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", server.address().port())) {
      socket
          .getOutputStream()
          .write((head + "Connection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aBodyTooLongIsRefused() throws Exception {
    server.addRoutes(
        new RestRoutes()
            .post("/api/v1/act", r -> CompletableFuture.completedFuture(RestReply.json("done"))));
    HttpResponse<String> response =
        send(request("/api/v1/act").POST(HttpRequest.BodyPublishers.ofString("x".repeat(100_000))));
    assertEquals(400, response.statusCode(), response::body);
  }

  @Test
  void aTakenPortIsNamed() {
    IOException failure =
        assertThrows(
            IOException.class, () -> RestServer.start(server.address(), new RestRoutes()).close());
    assertTrue(
        failure.getMessage().contains("port " + server.address().port()), failure::getMessage);
  }

  private Socket halfRequest(String text) throws IOException {
    Socket socket = new Socket(server.address().host(), server.address().port());
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().flush();
    return socket;
  }

  private int statusCode() throws Exception {
    URI uri = URI.create("http://" + server.address() + "/api/v1/status");
    return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
        .statusCode();
  }

  @Test
  void halfRequestsAndSlowBodiesStopNoOtherRequest() throws Exception {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < 20; i++) {
        sockets.add(halfRequest("GET /api/v1/sta"));
        sockets.add(
            halfRequest(
                "POST /api/v1/osds/1/stop HTTP/1.1\r\n"
                    + "Host: localhost\r\n"
                    + "Content-Length: 9\r\n\r\n"
                    + "x"));
      }
      assertEquals(200, statusCode());
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  @Test
  void oldestHalfRequestOfAHostEndsForANewConnection() throws Exception {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < RestConnections.MAX_OF_HOST + 10; i++) {
        sockets.add(halfRequest("GET /"));
      }
      assertEquals(200, statusCode());
      sockets.get(0).setSoTimeout(10_000);
      assertEquals(-1, sockets.get(0).getInputStream().read());
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  @Test
  void requestThatDoesNotArriveInTimeIsEnded() throws Exception {
    server.close();
    server = RestServer.start(ANY, ClusterRoutes.of(() -> status), 100);
    try (Socket half = halfRequest("GET /api/v1/sta")) {
      half.setSoTimeout(10_000);
      assertEquals(-1, half.getInputStream().read());
    }
  }
}
