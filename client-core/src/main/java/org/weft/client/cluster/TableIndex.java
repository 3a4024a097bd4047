package org.weft.client.cluster;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.VolumeRow;

/** One version of the cluster's table with the ways to look things up in it. Immutable. */
record TableIndex(
    ClusterTable table,
    SortedMap<Integer, OsdRow> osds,
    SortedMap<Integer, List<Endpoint>> addresses,
    Map<Long, List<Endpoint>> managers,
    Set<Integer> near,
    VolumeMounts mounts) {
  static final TableIndex EMPTY = of(ClusterTable.getDefaultInstance(), Optional.empty());

  private static final String ROOT_PATH = "/";

  /**
   * An index of a table.
   *
   * @param ownHost the host whose OSDs are near; empty: none is
   */
  static TableIndex of(ClusterTable table, Optional<String> ownHost) {
    SortedMap<Integer, OsdRow> osds = new TreeMap<>();
    SortedMap<Integer, List<Endpoint>> addresses = new TreeMap<>();
    for (OsdRow row : table.getOsdsList()) {
      osds.put(row.getOsdId(), row);
      addresses.put(row.getOsdId(), endpoints(row.getAddressesList()));
    }
    return new TableIndex(
        table,
        Collections.unmodifiableSortedMap(osds),
        Collections.unmodifiableSortedMap(addresses),
        managersOfVolumes(table),
        ownHost.map(host -> upAt(host, table)).orElse(Set.of()),
        VolumeMounts.of(table.getVolumesList()));
  }

  Optional<OsdRow> osd(OsdId osd) {
    return Optional.ofNullable(osds.get(osd.value()));
  }

  List<Endpoint> addressesOf(OsdId osd) {
    return addresses.getOrDefault(osd.value(), List.of());
  }

  Optional<VolumeRow> volume(long volumeId) {
    return table.getVolumesList().stream().filter(v -> v.getVolumeId() == volumeId).findFirst();
  }

  Optional<VolumeRow> rootVolume() {
    return table.getVolumesList().stream().filter(v -> v.getPath().equals(ROOT_PATH)).findFirst();
  }

  /** Asked for with every request: it is looked up, not made. */
  List<Endpoint> managerAddressesOf(long volumeId) {
    return managers.getOrDefault(volumeId, List.of());
  }

  private static Map<Long, List<Endpoint>> managersOfVolumes(ClusterTable table) {
    Map<Integer, List<Endpoint>> addresses = new HashMap<>();
    for (ManagerRow row : table.getManagersList()) {
      addresses.putIfAbsent(row.getManagerId(), endpoints(row.getAddressesList()));
    }
    Map<Long, List<Endpoint>> managers = new HashMap<>();
    for (VolumeRow row : table.getVolumesList()) {
      managers.putIfAbsent(
          row.getVolumeId(), addresses.getOrDefault(row.getManagerId(), List.of()));
    }
    return Map.copyOf(managers);
  }

  private static Set<Integer> upAt(String host, ClusterTable table) {
    return table.getOsdsList().stream()
        .filter(row -> row.getState() == NodeState.UP && row.getHost().equalsIgnoreCase(host))
        .map(OsdRow::getOsdId)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static List<Endpoint> endpoints(List<AddressMessage> messages) {
    return messages.stream()
        .filter(message -> !message.getHost().isBlank() && message.getPort() <= 65535)
        .map(Endpoint::fromMessage)
        .toList();
  }
}
