package org.weft.client.cluster;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.VolumeRow;

/** One version of the cluster's table with the ways to look things up in it. Immutable. */
record TableIndex(
    ClusterTable table,
    SortedMap<Integer, OsdRow> osds,
    SortedMap<Integer, List<Endpoint>> addresses,
    VolumeMounts mounts) {
  static final TableIndex EMPTY = of(ClusterTable.getDefaultInstance());

  private static final String ROOT_PATH = "/";

  static TableIndex of(ClusterTable table) {
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

  List<Endpoint> managerAddressesOf(long volumeId) {
    int manager = volume(volumeId).map(VolumeRow::getManagerId).orElse(0);
    return table.getManagersList().stream()
        .filter(row -> row.getManagerId() == manager)
        .findFirst()
        .map(ManagerRow::getAddressesList)
        .map(TableIndex::endpoints)
        .orElse(List.of());
  }

  private static List<Endpoint> endpoints(List<AddressMessage> messages) {
    return messages.stream()
        .filter(message -> !message.getHost().isBlank() && message.getPort() <= 65535)
        .map(message -> new Endpoint(message.getHost(), message.getPort()))
        .toList();
  }
}
