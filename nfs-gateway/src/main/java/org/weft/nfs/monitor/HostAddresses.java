package org.weft.nfs.monitor;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Addresses at which clients call a gateway: the one that it listens on, or all of its host. It
 * leaves out addresses that other hosts have as well (loopback, link-local), which identify no
 * gateway. The exception is one that the gateway listens on. Thread-safe.
 */
public final class HostAddresses implements Supplier<Set<InetAddress>> {
  private static final Logger LOG = LoggerFactory.getLogger(HostAddresses.class);

  private final InetAddress listensOn;
  private volatile Set<InetAddress> last = Set.of();

  public HostAddresses(InetAddress listensOn) {
    this.listensOn = listensOn;
  }

  @Override
  public Set<InetAddress> get() {
    try {
      if (!listensOn.isAnyLocalAddress()) {
        // It may have moved to another host meanwhile.
        last = NetworkInterface.getByInetAddress(listensOn) == null ? Set.of() : Set.of(listensOn);
        return last;
      }
      last =
          NetworkInterface.networkInterfaces()
              .flatMap(NetworkInterface::inetAddresses)
              .filter(each -> !each.isLoopbackAddress() && !each.isLinkLocalAddress())
              .collect(Collectors.toCollection(LinkedHashSet::new));
    } catch (SocketException e) {
      LOG.warn("the addresses of this host cannot be listed, they count as they were", e);
    }
    return last;
  }
}
