package org.weft.sysmgr.configuration.stored;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.StoredAddress;
import org.weft.protocol.wire.StoredNfsClaim;
import org.weft.protocol.wire.StoredNfsMonitor;
import org.weft.protocol.wire.StoredNfsServed;
import org.weft.protocol.wire.StoredNfsWatched;
import org.weft.protocol.wire.TakeNfsAddressesCommand;
import org.weft.protocol.wire.WatchNfsClientsCommand;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.nfs.NfsMonitor;
import org.weft.sysmgr.configuration.nfs.NfsServed;
import org.weft.sysmgr.configuration.nfs.NfsWatched;

/** Clients of NFS with locks, as commands and snapshots keep them. */
final class NfsMonitorCodec {
  private NfsMonitorCodec() {}

  static TakeNfsAddressesCommand stored(Command.TakeNfsAddresses command) {
    return TakeNfsAddressesCommand.newBuilder()
        .setClaim(command.claim())
        .addAllServers(StoredValueCodec.addresses(command.servers()))
        .setNowMillis(command.nowMillis())
        .build();
  }

  static Command command(TakeNfsAddressesCommand stored) {
    return new Command.TakeNfsAddresses(
        stored.getClaim(),
        StoredValueCodec.endpoints(stored.getServersList()),
        stored.getNowMillis());
  }

  static WatchNfsClientsCommand stored(Command.WatchNfsClients command) {
    WatchNfsClientsCommand.Builder stored =
        WatchNfsClientsCommand.newBuilder()
            .setNumber(command.number())
            .setNowMillis(command.nowMillis());
    command
        .claims()
        .forEach(
            (server, claim) ->
                stored.addClaims(
                    StoredNfsClaim.newBuilder()
                        .setServer(StoredValueCodec.address(Endpoint.parse(server)))
                        .setClaim(claim)));
    command.removed().forEach(each -> stored.addRemoved(stored(each, 0)));
    command.added().forEach(each -> stored.addAdded(stored(each, 0)));
    return stored.build();
  }

  static Command command(WatchNfsClientsCommand stored) {
    SortedMap<String, Long> claims = new TreeMap<>();
    for (StoredNfsClaim each : stored.getClaimsList()) {
      claims.put(endpoint(each.getServer()).toString(), each.getClaim());
    }
    return new Command.WatchNfsClients(
        stored.getNumber(),
        claims,
        stored.getRemovedList().stream().map(NfsMonitorCodec::watched).toList(),
        stored.getAddedList().stream().map(NfsMonitorCodec::watched).toList(),
        stored.getNowMillis());
  }

  private static Endpoint endpoint(StoredAddress stored) {
    return StoredValueCodec.endpoints(List.of(stored)).get(0);
  }

  private static StoredNfsWatched stored(NfsWatched watched, long sinceMillis) {
    return StoredNfsWatched.newBuilder()
        .setServer(StoredValueCodec.address(watched.server()))
        .setClient(watched.client())
        .setName(watched.name())
        .setSinceMillis(sinceMillis)
        .build();
  }

  private static NfsWatched watched(StoredNfsWatched stored) {
    return new NfsWatched(endpoint(stored.getServer()), stored.getClient(), stored.getName());
  }

  static StoredNfsMonitor stored(NfsMonitor monitor) {
    StoredNfsMonitor.Builder stored =
        StoredNfsMonitor.newBuilder().setLastState(monitor.lastState());
    monitor
        .served()
        .forEach(
            (server, now) ->
                stored.addServed(
                    StoredNfsServed.newBuilder()
                        .setServer(StoredValueCodec.address(Endpoint.parse(server)))
                        .setClaim(now.claim())
                        .setState(now.state())
                        .setNumber(now.number())
                        .setSinceMillis(now.sinceMillis())));
    monitor.watched().forEach((each, since) -> stored.addWatched(stored(each, since)));
    return stored.build();
  }

  static NfsMonitor monitor(StoredNfsMonitor stored) {
    SortedMap<String, NfsServed> served = new TreeMap<>();
    for (StoredNfsServed each : stored.getServedList()) {
      served.put(
          endpoint(each.getServer()).toString(),
          new NfsServed(each.getClaim(), each.getState(), each.getNumber(), each.getSinceMillis()));
    }
    SortedMap<NfsWatched, Long> watched = new TreeMap<>();
    for (StoredNfsWatched each : stored.getWatchedList()) {
      watched.put(watched(each), each.getSinceMillis());
    }
    return new NfsMonitor(stored.getLastState(), served, watched);
  }
}
