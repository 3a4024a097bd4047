package org.weft.nfs.portmap;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.RpcProgram;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.seam.Clock;

/**
 * Our own portmapper, program 100000, for hosts that run none: version 2 (RFC 1833 section 3) and
 * versions 3 and 4 (section 2). It knows what a gateway serves and takes no registrations of
 * others. CALLIT is not there: it would let any client make calls in our name.
 */
public final class Portmapper {
  public static final int PROGRAM = 100_000;
  public static final int PORT = 111;

  private static final int MIN_VERSION = 2;
  private static final int MAX_VERSION = 4;
  private static final String SIX = "6";
  private static final int MILLIS = 1_000;

  private final List<Registration> registrations;
  private final Clock clock;
  private final boolean overDatagrams;

  /**
   * @param registrations what it tells beside itself
   */
  public Portmapper(List<Registration> registrations, Clock clock) {
    this(registrations, clock, false);
  }

  private Portmapper(List<Registration> registrations, Clock clock, boolean overDatagrams) {
    this.registrations = List.copyOf(registrations);
    this.clock = clock;
    this.overDatagrams = overDatagrams;
  }

  /**
   * What is served by datagrams: questions for one program. DUMP is not: its reply is longer than
   * the call, and would go to whatever address the call states.
   */
  public static RpcProgram datagrams(List<Registration> registrations, Clock clock) {
    Portmapper all = new Portmapper(registrations, clock, true);
    return new RpcProgram(PROGRAM, "portmap")
        .version(2, Map.of(3, all::getPort))
        .version(3, Map.of(3, in -> all.getAddress(in, false)))
        .version(4, Map.of(3, in -> all.getAddress(in, false), 9, in -> all.getAddress(in, true)));
  }

  public RpcProgram program() {
    Map<Integer, RpcProcedure> two =
        Map.of(
            1, Portmapper::refuseMapping,
            2, Portmapper::refuseMapping,
            3, this::getPort,
            4, in -> call -> answer(out -> dumpMappings(out, call)));
    Map<Integer, RpcProcedure> three =
        Map.of(
            1, Portmapper::refuseAddress,
            2, Portmapper::refuseAddress,
            3, in -> getAddress(in, false),
            4, in -> call -> answer(out -> dump(out, call)),
            6, in -> call -> answer(out -> out.int32((int) (clock.nowMillis() / MILLIS))));
    Map<Integer, RpcProcedure> four =
        Map.of(
            1, Portmapper::refuseAddress,
            2, Portmapper::refuseAddress,
            3, in -> getAddress(in, false),
            4, in -> call -> answer(out -> dump(out, call)),
            6, in -> call -> answer(out -> out.int32((int) (clock.nowMillis() / MILLIS))),
            9, in -> getAddress(in, true));
    return new RpcProgram(PROGRAM, "portmap").version(2, two).version(3, three).version(4, four);
  }

  private static CompletableFuture<OncReply> answer(OncReply reply) {
    return CompletableFuture.completedFuture(reply);
  }

  /** PMAPPROC_SET and PMAPPROC_UNSET: false. */
  private static RpcTask refuseMapping(XdrReader in) throws MalformedXdrException {
    var unused = Mapping.read(in);
    return call -> answer(out -> out.bool(false));
  }

  /** RPCBPROC_SET and RPCBPROC_UNSET: false. */
  private static RpcTask refuseAddress(XdrReader in) throws MalformedXdrException {
    var unused = Rpcb.read(in);
    return call -> answer(out -> out.bool(false));
  }

  /** Itself, as clients ask for that, too, and what it was given. */
  private List<Registration> all(RpcCall call) {
    List<Registration> all = new ArrayList<>();
    for (int version = MIN_VERSION; version <= MAX_VERSION; version++) {
      all.add(new Registration(PROGRAM, version, call.server().getPort(), overDatagrams));
    }
    all.addAll(registrations);
    return all;
  }

  /**
   * The port of that version, or else of another one: the caller will learn which versions there
   * are.
   */
  private Optional<Registration> find(
      RpcCall call, int program, int version, boolean datagrams, boolean exactly) {
    List<Registration> ofProgram =
        all(call).stream()
            .filter(each -> each.program() == program && each.datagrams() == datagrams)
            .toList();
    Optional<Registration> exact =
        ofProgram.stream().filter(each -> each.version() == version).findFirst();
    return exact.isPresent() || exactly ? exact : ofProgram.stream().findFirst();
  }

  /** PMAPPROC_GETPORT, section 3.2: 0 for what is not there. */
  private RpcTask getPort(XdrReader in) throws MalformedXdrException {
    Mapping wanted = Mapping.read(in);
    return call -> {
      Optional<Registration> found =
          wanted.protocol() == Mapping.TCP || wanted.protocol() == Mapping.UDP
              ? find(
                  call, wanted.program(), wanted.version(), wanted.protocol() == Mapping.UDP, false)
              : Optional.empty();
      return answer(out -> out.int32(found.map(Registration::port).orElse(0)));
    };
  }

  /** PMAPPROC_DUMP, section 3.2. */
  private void dumpMappings(XdrWriter out, RpcCall call) {
    for (Registration each : all(call)) {
      out.bool(true);
      new Mapping(each.program(), each.version(), each.protocol(), each.port()).write(out);
    }
    out.bool(false);
  }

  /** RPCBPROC_GETADDR and RPCBPROC_GETVERSADDR, section 2.2.1: empty for what is not there. */
  private RpcTask getAddress(XdrReader in, boolean exactly) throws MalformedXdrException {
    Rpcb wanted = Rpcb.read(in);
    return call -> {
      boolean datagrams =
          wanted.networkId().isEmpty()
              ? overDatagrams
              : wanted.networkId().equals(network(call, true));
      boolean sameNetwork = datagrams || wanted.networkId().equals(network(call, false));
      String address =
          sameNetwork || wanted.networkId().isEmpty()
              ? find(call, wanted.program(), wanted.version(), datagrams, exactly)
                  .map(found -> universal(call.server().getAddress(), found.port()))
                  .orElse("")
              : "";
      return answer(out -> out.string(address));
    };
  }

  /** RPCBPROC_DUMP, section 2.2.1. */
  private void dump(XdrWriter out, RpcCall call) {
    for (Registration each : all(call)) {
      out.bool(true);
      new Rpcb(
              each.program(),
              each.version(),
              network(call, each.datagrams()),
              universal(call.server().getAddress(), each.port()),
              "superuser")
          .write(out);
    }
    out.bool(false);
  }

  private static String network(RpcCall call, boolean datagrams) {
    String name = datagrams ? "udp" : "tcp";
    return call.server().getAddress() instanceof Inet6Address ? name + SIX : name;
  }

  /** An address with the port's two bytes behind it, RFC 5665 section 5.2.3.3. */
  static String universal(InetAddress address, int port) {
    return address.getHostAddress() + "." + (port >> 8) + "." + (port & 0xff);
  }
}
