package org.weft.hadoop;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.net.NetworkTopology;
import org.weft.client.cluster.ClusterView;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;

/**
 * Which hosts hold which blocks of a file. A block is a run of whole stripes. Its hosts are those
 * of the OSDs of the parity groups it touches; each of these OSDs has its share of the block.
 */
final class BlockHosts {
  private final ClusterView cluster;

  BlockHosts(ClusterView cluster) {
    this.cluster = cluster;
  }

  /** The blocks that hold the range, the first and the last one whole. */
  BlockLocation[] locate(WeftFileStatus file, long start, long length) {
    return file.map()
        .map(map -> locate(map, file.getLen(), file.getBlockSize(), start, length))
        .orElseGet(() -> new BlockLocation[0]);
  }

  private BlockLocation[] locate(
      StorageMap map, long fileBytes, long blockBytes, long start, long length) {
    List<BlockLocation> blocks = new ArrayList<>();
    long end = Math.min(fileBytes, start + Math.min(length, Long.MAX_VALUE - start));
    for (long at = start / blockBytes * blockBytes; at < end; at += blockBytes) {
      long bytes = Math.min(blockBytes, fileBytes - at);
      List<OsdRow> osds = List.copyOf(hosts(map, fileBytes, at, bytes).values());
      blocks.add(
          new BlockLocation(
              osds.stream().map(BlockHosts::address).toArray(String[]::new),
              osds.stream().map(OsdRow::getHost).toArray(String[]::new),
              osds.stream().map(BlockHosts::topologyPath).toArray(String[]::new),
              at,
              bytes));
    }
    return blocks.toArray(BlockLocation[]::new);
  }

  /** Where a host stands, as Hadoop writes it. */
  private static String topologyPath(OsdRow osd) {
    String rack = osd.getRack().isEmpty() ? NetworkTopology.DEFAULT_RACK : "/" + osd.getRack();
    return rack + "/" + address(osd);
  }

  /** One OSD of each host. */
  private Map<String, OsdRow> hosts(StorageMap map, long fileBytes, long start, long length) {
    Map<String, OsdRow> byHost = new LinkedHashMap<>();
    for (int component : components(map.layout(), fileBytes, start, length)) {
      if (!map.isMissing(component)) {
        Optional<OsdRow> row = cluster.osd(map.osdOf(component));
        row.filter(osd -> osd.getState() == NodeState.UP)
            .ifPresent(osd -> byHost.putIfAbsent(osd.getHost(), osd));
      }
    }
    return byHost;
  }

  private static SortedSet<Integer> components(
      Layout layout, long fileBytes, long start, long length) {
    SortedSet<Integer> components = new TreeSet<>();
    if (layout.isSmall(fileBytes)) {
      addRange(components, 0, layout.parityUnits() + 1);
      return components;
    }
    long last = layout.stripeOf(start + length - 1);
    for (long stripe = layout.stripeOf(start);
        stripe <= last && components.size() < layout.componentCount();
        stripe += layout.groupDepth() - stripe % layout.groupDepth()) {
      addRange(components, layout.groupOf(stripe) * layout.width(), layout.width());
    }
    return components;
  }

  private static void addRange(SortedSet<Integer> components, int first, int count) {
    for (int component = first; component < first + count; component++) {
      components.add(component);
    }
  }

  private static String address(OsdRow osd) {
    if (osd.getAddressesCount() == 0) {
      return osd.getHost();
    }
    AddressMessage address = osd.getAddresses(0);
    return address.getHost() + ":" + address.getPort();
  }
}
