package org.weft.nfs.daemon;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.cluster.NfsAdmin;
import org.weft.nfs.monitor.MonitorRecords;
import org.weft.nfs.monitor.MonitoredClient;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.NfsClaim;
import org.weft.protocol.wire.NfsTakeReply;
import org.weft.protocol.wire.NfsTakeRequest;
import org.weft.protocol.wire.NfsWatchReply;
import org.weft.protocol.wire.NfsWatchRequest;
import org.weft.protocol.wire.NfsWatchedRow;

/** The list of clients with locks as SysMgr keeps it, for one port. Thread-safe. */
final class SysmgrRecords implements MonitorRecords {
  private static final Logger LOG = LoggerFactory.getLogger(SysmgrRecords.class);

  private final NfsAdmin admin;
  private final byte[] joinSecret;
  private final IntSupplier port;
  private final Supplier<Endpoint> gateway;

  /**
   * @param port of the lock manager
   * @param gateway what this one is known by, also when it starts again
   */
  SysmgrRecords(NfsAdmin admin, byte[] joinSecret, IntSupplier port, Supplier<Endpoint> gateway) {
    this.admin = admin;
    this.joinSecret = joinSecret;
    this.port = port;
    this.gateway = gateway;
  }

  @Override
  public CompletableFuture<Taken> take(long claim, List<InetAddress> servers) {
    NfsTakeRequest.Builder wanted =
        NfsTakeRequest.newBuilder().setClaim(claim).setGateway(gateway.get().toMessage());
    servers.forEach(server -> wanted.addServers(address(server, port.getAsInt())));
    return admin.take(wanted.build(), joinSecret).thenApply(SysmgrRecords::taken);
  }

  private static Taken taken(NfsTakeReply reply) {
    return new Taken(reply.getState(), clients(reply.getWatchedList()), lost(reply.getLostList()));
  }

  @Override
  public CompletableFuture<Changed> change(Change change) {
    NfsWatchRequest.Builder wanted =
        NfsWatchRequest.newBuilder()
            .setNumber(change.number())
            .setGateway(gateway.get().toMessage());
    for (Map.Entry<InetAddress, Long> each : change.claims().entrySet()) {
      wanted.addClaims(
          NfsClaim.newBuilder()
              .setServer(address(each.getKey(), port.getAsInt()))
              .setClaim(each.getValue()));
    }
    change.removed().forEach(client -> wanted.addRemoved(row(client, port.getAsInt())));
    change.added().forEach(client -> wanted.addAdded(row(client, port.getAsInt())));
    return admin.watch(wanted.build(), joinSecret).thenApply(SysmgrRecords::changed);
  }

  private static Changed changed(NfsWatchReply reply) {
    return new Changed(lost(reply.getLostList()), Set.copyOf(clients(reply.getRefusedList())));
  }

  /**
   * Makes one text for an address, whether it is of an interface or of a call: SysMgr compares
   * texts.
   */
  static AddressMessage address(InetAddress server, int port) {
    return AddressMessage.newBuilder()
        .setHost(MonitoredClient.withoutInterface(server))
        .setPort(port)
        .build();
  }

  static NfsWatchedRow row(MonitoredClient client, int port) {
    return NfsWatchedRow.newBuilder()
        .setServer(address(client.server(), port))
        .setClient(client.clientText())
        .setName(client.name())
        .build();
  }

  /** Without those at an interface that is not there any more. */
  private static List<MonitoredClient> clients(List<NfsWatchedRow> rows) {
    List<MonitoredClient> clients = new ArrayList<>();
    for (NfsWatchedRow row : rows) {
      try {
        clients.add(
            new MonitoredClient(
                InetAddress.getByName(row.getServer().getHost()),
                InetAddress.getByName(row.getClient()),
                row.getName()));
      } catch (UnknownHostException e) {
        LOG.warn("{} at {} cannot be told", row.getName(), row.getClient(), e);
      }
    }
    return clients;
  }

  private static Set<InetAddress> lost(List<AddressMessage> addresses) {
    Set<InetAddress> lost = new LinkedHashSet<>();
    for (AddressMessage each : addresses) {
      try {
        lost.add(InetAddress.getByName(each.getHost()));
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException(each.getHost() + " is no address", e);
      }
    }
    return lost;
  }
}
