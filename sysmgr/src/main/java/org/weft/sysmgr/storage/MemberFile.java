package org.weft.sysmgr.storage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.weft.protocol.id.ClusterId;

/**
 * The file that says whose a data directory is. One {@code name=value} a line, UTF-8; lines that
 * begin with '#' are for people:
 *
 * <pre>
 * format=1
 * member=1
 * cluster-name=weft
 * members=1@10.0.0.1:7302,2@10.0.0.2:7302,3@10.0.0.3:7302      "1" for a single member
 * group=3f2504e0-4f89-31d3-9a0c-0305e82c3301
 * instance=0123456789abcdef0123456789abcdef                    drawn when the directory was made
 * ready=yes                                                    once no other first member knew a cluster
 * seen=2:fedcba9876543210fedcba9876543210                      their instances at that time
 * cluster-id=0123456789abcdef0123456789abcdef                 once it is known
 * </pre>
 *
 * @param members the first members' ids and addresses among themselves; just "1" where there was
 *     only one; {@value #JOINED} where this one was added to others. Of no account once the log
 *     knows its members
 * @param group names the replicated log
 * @param ready all first members were new when this one asked them
 * @param instance tells this directory from one that is made in its place after the disk was lost;
 *     empty: of an older release
 * @param seen the instances of the other first members when this one became ready
 */
record MemberFile(
    int memberId,
    String clusterName,
    String members,
    UUID group,
    boolean ready,
    Optional<ClusterId> clusterId,
    String instance,
    SortedMap<Integer, String> seen) {
  static final String JOINED = "joined";

  private static final String FORMAT = "1";
  private static final String COMMENT = "# A member of Weft's SysMgr. Written by it; do not edit.";

  MemberFile withCluster(ClusterId id) {
    return new MemberFile(
        memberId, clusterName, members, group, true, Optional.of(id), instance, seen);
  }

  MemberFile madeReady(SortedMap<Integer, String> others) {
    return new MemberFile(memberId, clusterName, members, group, true, clusterId, instance, others);
  }

  byte[] encode() {
    StringBuilder text = new StringBuilder(COMMENT).append('\n');
    text.append("format=").append(FORMAT).append('\n');
    text.append("member=").append(memberId).append('\n');
    text.append("cluster-name=").append(clusterName).append('\n');
    text.append("members=").append(members).append('\n');
    text.append("group=").append(group).append('\n');
    if (!instance.isEmpty()) {
      text.append("instance=").append(instance).append('\n');
    }
    if (!seen.isEmpty()) {
      text.append("seen=");
      seen.forEach(
          (id, seenInstance) ->
              text.append(id.equals(seen.firstKey()) ? "" : ",")
                  .append(id)
                  .append(':')
                  .append(seenInstance));
      text.append('\n');
    }
    if (ready) {
      text.append("ready=yes\n");
    }
    clusterId.ifPresent(id -> text.append("cluster-id=").append(id).append('\n'));
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Reads the lines; anything that is not such a file is an IOException that says why. */
  static MemberFile decode(List<String> lines) throws IOException {
    SortedMap<String, String> values = new TreeMap<>();
    for (String line : lines) {
      int equals = line.indexOf('=');
      if (!line.isBlank() && !line.startsWith("#") && equals > 0) {
        values.put(line.substring(0, equals), line.substring(equals + 1));
      }
    }
    String format = value(values, "format");
    if (!format.equals(FORMAT)) {
      throw new IOException("has format " + format + ", this release knows format " + FORMAT);
    }
    try {
      return new MemberFile(
          Integer.parseInt(value(values, "member")),
          value(values, "cluster-name"),
          value(values, "members"),
          UUID.fromString(value(values, "group")),
          "yes".equals(values.get("ready")),
          Optional.ofNullable(values.get("cluster-id")).map(ClusterId::new),
          values.getOrDefault("instance", ""),
          seen(values.getOrDefault("seen", "")));
    } catch (IllegalArgumentException e) {
      throw new IOException("cannot be read: " + e.getMessage(), e);
    }
  }

  private static SortedMap<Integer, String> seen(String text) {
    SortedMap<Integer, String> seen = new TreeMap<>();
    for (String each : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      int colon = each.indexOf(':');
      if (colon < 1) {
        throw new IllegalArgumentException("'" + each + "' names no instance of a member");
      }
      seen.put(Integer.valueOf(each.substring(0, colon)), each.substring(colon + 1));
    }
    return seen;
  }

  private static String value(SortedMap<String, String> values, String name) throws IOException {
    String value = values.get(name);
    if (value == null) {
      throw new IOException("has no line " + name + "=...");
    }
    return value;
  }
}
