package org.weft.it.nfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmLock;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmRange;
import org.weft.nfs.nlm.NlmShare;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.nsm.NsmMessage;
import org.weft.nfs.nsm.NsmProcedure;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.OncRpcOptions;
import org.weft.nfs.oncrpc.OncRpcTransport;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.RpcFailedException;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.FreePorts;
import org.weft.soak.process.WeftProcess;
import org.weft.testkit.process.Await;

/**
 * Each procedure of a gateway has a counter and a time of its own at {@code /metrics}, which move
 * with a call of it and with no other one. docs/monitoring.md names them all.
 */
class ProcedureMetricsTest {
  private static final int OSDS = 4;
  private static final int GATEWAY = 50;
  private static final int TIMEOUT_MILLIS = 60_000;
  private static final int WAIT_SECONDS = 120;
  private static final int NFS = 100_003;
  private static final int MOUNT = 100_005;

  /** ACLs, for which a Linux kernel asks. It is not served. */
  private static final int NFS_ACL = 100_227;

  private static final Pattern SERIES =
      Pattern.compile(
          "(?m)^weft_nfs_(calls_seconds_count|calls_seconds_sum|calls_refused_total)"
              + "\\{procedure=\"(\\w+)\",program=\"(\\w+)\"\\} (\\S+)$");

  private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\| ((?:`\\w+`(?:, )?)+)");
  private static final Pattern QUOTED = Pattern.compile("`(\\w+)`");
  private static final NetObject COOKIE = new NetObject(new byte[] {1, 2, 3});
  private static final String HOST = "metrics-host";

  /** What one procedure came to. */
  private record Figures(double calls, double seconds, double refused) {
    static final Figures NONE = new Figures(0, 0, 0);

    private Figures with(String series, double value) {
      return switch (series) {
        case "calls_seconds_count" -> new Figures(value, seconds, refused);
        case "calls_seconds_sum" -> new Figures(calls, value, refused);
        default -> new Figures(calls, seconds, value);
      };
    }
  }

  @TempDir static Path scratch;

  private static SystemEnvironment system;
  private static OncRpcTransport transport;
  private static WeftProcess quickstart;
  private static int port;
  private static OncRpcClient rpc;
  private static Nfs3Client nfs;
  private static byte[] root;

  private final HttpClient http = HttpClient.newHttpClient();

  /** Names as in {@code nfs getattr}. */
  private final Set<String> called = new TreeSet<>();

  @BeforeAll
  static void start() throws Exception {
    system = SystemEnvironment.create();
    transport =
        new OncRpcTransport(
            OncRpcOptions.USUAL,
            system.environment().scheduler(),
            system.environment().ticker(),
            system.environment().random());
    port = FreePorts.base(OSDS);
    quickstart =
        WeftProcess.start(
            scratch,
            "quickstart",
            "--data",
            scratch.resolve("data").toString(),
            "--port-base",
            "" + port,
            "--osds",
            "" + OSDS,
            "--capacity",
            "1g");
    quickstart.awaitLine(line -> line.contains("is ready"));
    rpc =
        transport
            .connect(
                new InetSocketAddress("127.0.0.1", port + GATEWAY),
                OptionalInt.empty(),
                TIMEOUT_MILLIS,
                Runnable::run)
            .toCompletableFuture()
            .join();
    nfs = new Nfs3Client(rpc, 0, 0);
    Await.until(
        WAIT_SECONDS,
        () -> "the root is not exported",
        () -> nfs.mount("/").status == Nfs3Client.OK);
    root = nfs.mount("/").handle;
  }

  @AfterAll
  static void stop() {
    if (rpc != null) {
      rpc.close();
    }
    if (quickstart != null) {
      quickstart.close();
    }
    if (transport != null) {
      transport.close();
      system.close();
    }
  }

  private Map<String, Figures> figures() throws IOException, InterruptedException {
    String page =
        http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + (port + 1) + "/metrics"))
                    .build(),
                HttpResponse.BodyHandlers.ofString())
            .body();
    Map<String, Figures> all = new TreeMap<>();
    Matcher series = SERIES.matcher(page);
    while (series.find()) {
      String name = series.group(3) + " " + series.group(2);
      double value = Double.parseDouble(series.group(4));
      all.put(name, all.getOrDefault(name, Figures.NONE).with(series.group(1), value));
    }
    return all;
  }

  /** Something that makes one call. */
  @FunctionalInterface
  private interface Call {
    void make() throws Exception;
  }

  /** The call moves the counter and the time of that procedure, and nothing of another one. */
  private void moves(String name, Call call) throws Exception {
    Map<String, Figures> old = begin(call);
    Map<String, Figures> now = figures();
    assertEquals(
        old.getOrDefault(name, Figures.NONE).calls() + 1,
        now.getOrDefault(name, Figures.NONE).calls(),
        name);
    assertTrue(now.get(name).seconds() > old.get(name).seconds(), name + " took time");
    assertEquals(old.get(name).refused(), now.get(name).refused(), name + " is not refused");
    assertOthersStay(name, old, now);
  }

  /** RPC refuses the call, and counts it there. */
  private void isRefused(String name, int program, int version, int procedure) throws Exception {
    Map<String, Figures> old =
        begin(
            () -> {
              try {
                raw(program, version, procedure, out -> {});
                throw new AssertionError(name + " was carried out");
              } catch (CompletionException e) {
                assertEquals(RpcFailedException.class, e.getCause().getClass());
              }
            });
    Map<String, Figures> now = figures();
    assertEquals(old.get(name).calls() + 1, now.get(name).calls(), name);
    assertEquals(old.get(name).refused() + 1, now.get(name).refused(), name);
    assertOthersStay(name, old, now);
  }

  /** The figures before the call, which is made. */
  private Map<String, Figures> begin(Call call) throws Exception {
    Map<String, Figures> before = figures();
    call.make();
    return before;
  }

  private void assertOthersStay(String name, Map<String, Figures> old, Map<String, Figures> now) {
    called.add(name);
    Map<String, Figures> othersBefore = new TreeMap<>(old);
    Map<String, Figures> othersNow = new TreeMap<>(now);
    othersBefore.remove(name);
    othersNow.remove(name);
    assertEquals(othersBefore, othersNow, "beside " + name);
  }

  private static void raw(int program, int version, int procedure, Consumer<XdrWriter> arguments) {
    var unused =
        rpc.call(
                new OncRpcClient.Target(program, version, procedure),
                new RpcCredential.Sys(0, HOST, 0, 0, List.of()),
                arguments,
                in -> 0)
            .toCompletableFuture()
            .join();
  }

  private static void ok(Nfs3Client.Result result) {
    assertEquals(Nfs3Client.OK, result.status);
  }

  private void nfsProcedures() throws Exception {
    Nfs3Client.Set mode = Nfs3Client.Set.mode(0755);
    moves("nfs null", () -> raw(NFS, 3, 0, out -> {}));
    moves("nfs getattr", () -> ok(nfs.getAttr(root)));
    moves("nfs mkdir", () -> ok(nfs.mkDir(root, "metrics", mode)));
    byte[] directory = nfs.lookup(root, "metrics").handle;
    moves("nfs create", () -> ok(nfs.create(directory, "file", true, mode)));
    moves("nfs lookup", () -> ok(nfs.lookup(directory, "file")));
    byte[] file = nfs.lookup(directory, "file").handle;
    moves("nfs setattr", () -> ok(nfs.setAttr(file, Nfs3Client.Set.mode(0644), null)));
    moves("nfs access", () -> ok(nfs.access(file, 63)));
    moves("nfs write", () -> ok(nfs.write(file, 0, Nfs3Client.UNSTABLE, new byte[100])));
    moves("nfs commit", () -> ok(nfs.commit(file, 0, 0)));
    moves("nfs read", () -> ok(nfs.read(file, 0, 100)));
    byte[] target = "file".getBytes(StandardCharsets.UTF_8);
    moves("nfs symlink", () -> ok(nfs.symlink(directory, "symlink", target)));
    byte[] symlink = nfs.lookup(directory, "symlink").handle;
    moves("nfs readlink", () -> ok(nfs.readLink(symlink)));
    moves("nfs mknod", () -> ok(nfs.mkNod(directory, "fifo", 7, 0, 0)));
    moves("nfs link", () -> ok(nfs.link(file, directory, "link")));
    moves("nfs rename", () -> ok(nfs.rename(directory, "link", directory, "renamed")));
    moves("nfs readdir", () -> ok(nfs.readDir(directory, 0, 0, 8_192)));
    moves("nfs readdirplus", () -> ok(nfs.readDirPlus(directory, 0, 8_192, 8_192)));
    moves("nfs fsstat", () -> ok(nfs.numbers(18, root)));
    moves("nfs fsinfo", () -> ok(nfs.numbers(19, root)));
    moves("nfs pathconf", () -> ok(nfs.numbers(20, root)));
    for (String name : List.of("symlink", "fifo", "renamed", "file")) {
      moves("nfs remove", () -> ok(nfs.remove(directory, name)));
    }
    moves("nfs rmdir", () -> ok(nfs.rmDir(root, "metrics")));
    // Clients that begin with version 4 make no call of a procedure of version 3.
    isRefused("nfs other", NFS, 4, 0);
    isRefused("nfs other", NFS, 4, 1);
    isRefused("nfs other", NFS, 3, 22);
  }

  private void mountProcedures() throws Exception {
    Consumer<XdrWriter> path = out -> out.string("/");
    moves("mount null", () -> raw(MOUNT, 3, 0, out -> {}));
    moves("mount mnt", () -> ok(nfs.mount("/")));
    moves("mount dump", () -> raw(MOUNT, 3, 2, out -> {}));
    moves("mount umnt", () -> raw(MOUNT, 3, 3, path));
    moves("mount umntall", () -> raw(MOUNT, 3, 4, out -> {}));
    moves("mount export", () -> raw(MOUNT, 3, 5, out -> {}));
    isRefused("mount other", MOUNT, 1, 1);
  }

  private void lock(NlmProcedure procedure, Consumer<XdrWriter> arguments) throws Exception {
    moves(
        "nlm " + procedure.name().toLowerCase(Locale.ROOT),
        () -> raw(NlmProcedure.PROGRAM, NlmProcedure.VERSION, procedure.number(), arguments));
  }

  private void lockProcedures() throws Exception {
    ok(nfs.create(root, "locked", true, Nfs3Client.Set.mode(0644)));
    byte[] file = nfs.lookup(root, "locked").handle;
    NetObject handle = new NetObject(file);
    NlmLock range =
        new NlmLock(HOST, handle, new NetObject(new byte[] {7}), 7, new NlmRange(0, 10));
    NlmMessage test = new NlmMessage.Test(COOKIE, true, range);
    NlmMessage lock = new NlmMessage.Lock(COOKIE, false, true, range, false, 1);
    NlmMessage cancel = new NlmMessage.Cancel(COOKIE, false, true, range);
    NlmMessage unlock = new NlmMessage.Unlock(COOKIE, range);
    NlmShare share = new NlmShare(HOST, handle, new NetObject(new byte[] {8}), 0, 1);
    lock(NlmProcedure.NULL, out -> {});
    lock(NlmProcedure.TEST, test::write);
    lock(NlmProcedure.LOCK, lock::write);
    lock(NlmProcedure.CANCEL, cancel::write);
    lock(NlmProcedure.UNLOCK, unlock::write);
    lock(NlmProcedure.GRANTED, test::write);
    lock(NlmProcedure.TEST_MSG, test::write);
    lock(NlmProcedure.LOCK_MSG, lock::write);
    lock(NlmProcedure.CANCEL_MSG, cancel::write);
    lock(NlmProcedure.UNLOCK_MSG, unlock::write);
    lock(NlmProcedure.GRANTED_MSG, test::write);
    NlmMessage tested = new NlmMessage.Tested(COOKIE, NlmStatus.GRANTED, Optional.empty());
    NlmMessage answer = new NlmMessage.Answer(COOKIE, NlmStatus.GRANTED);
    lock(NlmProcedure.TEST_RES, tested::write);
    lock(NlmProcedure.LOCK_RES, answer::write);
    lock(NlmProcedure.CANCEL_RES, answer::write);
    lock(NlmProcedure.UNLOCK_RES, answer::write);
    lock(NlmProcedure.GRANTED_RES, answer::write);
    lock(NlmProcedure.SHARE, new NlmMessage.Share(COOKIE, share, false)::write);
    lock(NlmProcedure.UNSHARE, new NlmMessage.Share(COOKIE, share, false)::write);
    lock(NlmProcedure.NM_LOCK, lock::write);
    lock(NlmProcedure.FREE_ALL, new NlmMessage.FreeAll(HOST, 1)::write);
    isRefused("nlm other", NlmProcedure.PROGRAM, 3, 1);
    ok(nfs.remove(root, "locked"));
  }

  private void status(NsmProcedure procedure, Consumer<XdrWriter> arguments) throws Exception {
    moves(
        "nsm " + procedure.name().toLowerCase(Locale.ROOT),
        () -> raw(NsmProcedure.PROGRAM, NsmProcedure.VERSION, procedure.number(), arguments));
  }

  private void statusProcedures() throws Exception {
    NsmMessage.Callback callback = new NsmMessage.Callback(HOST, 200_000, 1, 1);
    NsmMessage.Watch watch = new NsmMessage.Watch(HOST, callback);
    status(NsmProcedure.NULL, out -> {});
    status(NsmProcedure.STAT, new NsmMessage.Name(HOST)::write);
    status(
        NsmProcedure.MON, new NsmMessage.Monitor(watch, new byte[NsmMessage.PRIVATE_BYTES])::write);
    status(NsmProcedure.UNMON, watch::write);
    status(NsmProcedure.UNMON_ALL, callback::write);
    status(NsmProcedure.NOTIFY, new NsmMessage.Notice(HOST, 3)::write);
    // A gateway does not serve it: any client could have all clients told.
    isRefused(
        "nsm simu_crash",
        NsmProcedure.PROGRAM,
        NsmProcedure.VERSION,
        NsmProcedure.SIMU_CRASH.number());
    isRefused("nsm other", NsmProcedure.PROGRAM, 2, 1);
  }

  @Test
  void aCallMovesTheFiguresOfItsProcedureAlone() throws Exception {
    nfsProcedures();
    mountProcedures();
    lockProcedures();
    statusProcedures();
    isRefused("other other", NFS_ACL, 3, 0);
    Set<String> never =
        figures().keySet().stream()
            .filter(name -> !called.contains(name) && !name.startsWith("portmap "))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(Set.of(), never, "each procedure was called");
  }

  @Test
  void monitoringNamesEachProcedure() throws Exception {
    Map<String, Set<String>> served = new TreeMap<>();
    for (String name : figures().keySet()) {
      String[] words = name.split(" ", 2);
      served.computeIfAbsent(words[0], program -> new TreeSet<>()).add(words[1]);
    }
    assertNotEquals(Map.of(), served);
    String page = Files.readString(Path.of("../docs/monitoring.md"));
    String section = page.substring(page.indexOf("\n### Procedures\n"));
    Map<String, Set<String>> named = new TreeMap<>();
    ROW.matcher(section)
        .results()
        .forEach(
            row ->
                named.put(
                    row.group(1),
                    QUOTED
                        .matcher(row.group(2))
                        .results()
                        .map(each -> each.group(1))
                        .collect(Collectors.toCollection(TreeSet::new))));
    assertEquals(served, named);
  }
}
