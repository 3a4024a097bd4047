package org.weft.sysmgr;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.GetStatusRequest;
import org.weft.protocol.wire.SysmgrRow;
import org.weft.sysmgr.storage.JoinTokenFile;
import org.weft.testkit.process.Await;

/** A SysMgr of three members and more, each a process at a place with its own ports and folder. */
final class MemberProcesses implements AutoCloseable {
  private static final int FIRST_MEMBERS = 3;

  private final Path root;
  private final List<String> ports = new ArrayList<>();
  private final SystemEnvironment system;
  private final SortedMap<Integer, SysmgrProcess> running = new TreeMap<>();

  MemberProcesses(Path root, int places) throws Exception {
    this.root = root;
    this.system = SystemEnvironment.create();
    List<Integer> free = MemberPorts.of(2 * places);
    for (int i = 0; i < places; i++) {
      ports.add(free.get(2 * i) + "/" + free.get(2 * i + 1));
    }
  }

  SystemEnvironment system() {
    return system;
  }

  /** Starts the first members, and waits until a majority knows the cluster. */
  void startFirst() throws IOException {
    for (int place = 0; place < FIRST_MEMBERS; place++) {
      start(place);
    }
    for (int place = 0; place < FIRST_MEMBERS; place++) {
      Path token = folder(place).resolve(JoinTokenFile.NAME);
      Await.until("there is a token at place " + place, () -> Files.exists(token));
    }
  }

  /** Starts the first member of that place. */
  void start(int place) throws IOException {
    List<String> arguments = new ArrayList<>();
    arguments.add(folder(place).toString());
    arguments.add("first");
    arguments.add(Integer.toString(place + 1));
    arguments.addAll(ports.subList(0, FIRST_MEMBERS));
    running.put(place, SysmgrProcess.start(arguments));
  }

  /** Starts a process there that the others are to add; returns its member id. */
  int join(int place, byte[] token) throws IOException {
    List<String> arguments = new ArrayList<>();
    arguments.add(folder(place).toString());
    arguments.add("join");
    arguments.add(ports.get(place));
    arguments.add(HexFormat.of().formatHex(token));
    running.keySet().forEach(each -> arguments.add(address(each).toString()));
    SysmgrProcess process = SysmgrProcess.start(arguments);
    running.put(place, process);
    return process.memberId();
  }

  Path folder(int place) {
    return root.resolve("place-" + place);
  }

  SysmgrProcess at(int place) {
    return running.get(place);
  }

  Endpoint address(int place) {
    return new Endpoint("127.0.0.1", Integer.parseInt(ports.get(place).split("/")[0]));
  }

  byte[] token() throws IOException {
    return JoinTokenFile.read(folder(0).resolve(JoinTokenFile.NAME));
  }

  /** Of all places, whether a process runs there or not. */
  SysmgrClient client() throws IOException {
    List<Endpoint> all = IntStream.range(0, ports.size()).mapToObj(this::address).toList();
    return new SysmgrClient(system.environment().transport(), all, token());
  }

  /** The place of the member that leads, as a running member says. */
  int leader() {
    int[] found = {-1};
    Await.until(
        "a member leads",
        () ->
            running.keySet().stream()
                .anyMatch(
                    place -> {
                      try (SysmgrClient client = clientOf(place)) {
                        ClusterStatus status =
                            client.call(
                                Opcode.GET_STATUS,
                                GetStatusRequest.getDefaultInstance(),
                                ClusterStatus.parser());
                        boolean leads =
                            status.getSysmgrMembersList().stream()
                                .filter(SysmgrRow::getLeader)
                                .anyMatch(row -> row.getRpc().getPort() == address(place).port());
                        found[0] = leads ? place : found[0];
                        return leads;
                      } catch (WeftException e) {
                        return false;
                      } catch (Exception e) {
                        throw new AssertionError(e);
                      }
                    }));
    return found[0];
  }

  SysmgrClient clientOf(int place) {
    return new SysmgrClient(
        system.environment().transport(), List.of(address(place)), new byte[64]);
  }

  /** kill -9. */
  void kill(int place) throws IOException {
    running.remove(place).close();
  }

  /** The disk of a place where nothing runs is lost. */
  void wipe(int place) throws IOException {
    try (Stream<Path> files = Files.walk(folder(place))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Override
  public void close() throws IOException {
    for (SysmgrProcess process : running.values()) {
      process.close();
    }
    system.close();
  }
}
