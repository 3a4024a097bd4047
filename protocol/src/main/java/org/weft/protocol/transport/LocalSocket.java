package org.weft.protocol.transport;

import io.netty.channel.unix.DomainSocketAddress;
import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.weft.protocol.wire.HelloReply;

/**
 * A socket that does not leave the machine, and saves its processes the cost of TCP. A server tells
 * its name in the reply to a handshake over TCP (DESIGN 5). It has a random name in Linux' abstract
 * namespace, so no file is left behind and a name is never used twice. In another container's
 * network the name does not exist, and the connection stays with TCP.
 *
 * @param machine the kernel's name of this boot of the machine
 */
record LocalSocket(String machine, String name) {
  private static final int RANDOM_BYTES = 16;
  private static final int MAX_NAME_CHARS = 100;

  static LocalSocket fresh(String machine, RandomGenerator random) {
    byte[] bytes = new byte[RANDOM_BYTES];
    random.nextBytes(bytes);
    return new LocalSocket(machine, "weft-" + HexFormat.of().formatHex(bytes));
  }

  /** What a server told, if it is of that machine. */
  static Optional<LocalSocket> toldBy(HelloReply reply, String machine) {
    String name = reply.getLocalName();
    boolean usable = !name.isEmpty() && name.length() <= MAX_NAME_CHARS && name.indexOf('\0') < 0;
    return usable && reply.getLocalMachine().equals(machine)
        ? Optional.of(new LocalSocket(machine, name))
        : Optional.empty();
  }

  /** A leading NUL names the abstract namespace. */
  DomainSocketAddress address() {
    return new DomainSocketAddress("\0" + name);
  }

  void tell(HelloReply.Builder reply) {
    reply.setLocalMachine(machine).setLocalName(name);
  }
}
