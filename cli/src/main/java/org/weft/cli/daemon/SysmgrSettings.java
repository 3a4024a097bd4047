package org.weft.cli.daemon;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.cli.config.ConfigException;
import org.weft.cli.config.ConfigKey;
import org.weft.cli.config.WeftConf;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.SysmgrMember;
import org.weft.sysmgr.SysmgrOptions;
import org.weft.sysmgr.service.OsdPatience;
import org.weft.sysmgr.storage.MemberDirectory;

/** The settings of a SysMgr member as its options. */
final class SysmgrSettings {
  private SysmgrSettings() {}

  static SysmgrOptions from(WeftConf conf) {
    boolean numbered = conf.optional(ConfigKey.SYSMGR_ID).isPresent();
    int memberId = numbered ? conf.number(ConfigKey.SYSMGR_ID, 1) : 0;
    Endpoint listen = DaemonOptions.listen(conf, ConfigKey.SYSMGR_LISTEN);
    Endpoint ratis = DaemonOptions.listen(conf, ConfigKey.SYSMGR_RATIS);
    SysmgrMember self = new SysmgrMember(Math.max(1, memberId), listen, ratis);
    List<SysmgrMember> members = members(conf, self);
    if (!MemberDirectory.isFormatted(conf.path(ConfigKey.SYSMGR_DATA))) {
      requireReachable(self, members);
    }
    return new SysmgrOptions(
        conf.path(ConfigKey.SYSMGR_DATA),
        memberId,
        members,
        listen,
        DaemonOptions.listen(conf, ConfigKey.SYSMGR_REST),
        ratis,
        conf.text(ConfigKey.CLUSTER_NAME),
        conf.optional(ConfigKey.CLUSTER_SUPERUSER).orElse(System.getProperty("user.name")),
        patience(conf),
        Optional.empty());
  }

  /**
   * Refuses to make a new cluster where the configuration names other members. Otherwise a member
   * that lost its disk would make a second cluster beside the existing one. What `weft sysmgr
   * restore` has made is no new cluster.
   */
  static void requireOwnCluster(WeftConf conf, SysmgrOptions sysmgr) {
    boolean others =
        conf.endpoints(ConfigKey.CLUSTER_SYSMGR).size() > 1
            && conf.optional(ConfigKey.SYSMGR_MEMBERS).isEmpty();
    boolean fresh =
        !MemberDirectory.isFormatted(sysmgr.dataDirectory())
            && !MemberDirectory.isRestored(sysmgr.dataDirectory());
    if (others && fresh) {
      throw new ConfigException(
          "the data directory "
              + sysmgr.dataDirectory()
              + " is new, and "
              + ConfigKey.CLUSTER_SYSMGR.key()
              + " names several members: to join them start with --join; for a new cluster of several set "
              + ConfigKey.SYSMGR_MEMBERS.key());
    }
  }

  /**
   * Refuses to begin on loopback where others are to come from other hosts: such members never
   * meet. All members of one machine may listen there. A member that was part of a cluster before
   * is not asked: the list counts for the first start alone.
   */
  private static void requireReachable(SysmgrMember self, List<SysmgrMember> members) {
    if (!isLoopback(self.ratis())
        || members.stream()
            .filter(member -> member.memberId() != self.memberId())
            .map(SysmgrMember::ratis)
            .allMatch(SysmgrSettings::isLoopback)) {
      return;
    }
    Endpoint listed =
        members.stream()
            .filter(member -> member.memberId() == self.memberId())
            .findFirst()
            .orElseThrow()
            .ratis();
    throw new ConfigException(
        "%s is %s, where members on other hosts do not reach this one; set it to an address of this host, as %s names %s for member %d"
            .formatted(
                ConfigKey.SYSMGR_RATIS.key(),
                self.ratis(),
                ConfigKey.SYSMGR_MEMBERS.key(),
                listed,
                self.memberId()));
  }

  /** A name that this host does not know is no name of its loopback. */
  private static boolean isLoopback(Endpoint endpoint) {
    try {
      return InetAddress.getByName(endpoint.host()).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static OsdPatience patience(WeftConf conf) {
    ConfigKey key = ConfigKey.SYSMGR_UNUSABLE_OSD_SECONDS;
    return conf.text(key).equals("off")
        ? new OsdPatience(Optional.empty())
        : new OsdPatience(Optional.of(conf.number(key, 1)));
  }

  private static List<SysmgrMember> members(WeftConf conf, SysmgrMember self) {
    if (conf.optional(ConfigKey.SYSMGR_MEMBERS).isEmpty()) {
      return List.of(self);
    }
    List<SysmgrMember> members = new ArrayList<>();
    for (String part : conf.required(ConfigKey.SYSMGR_MEMBERS).split(",", -1)) {
      members.add(member(part.trim()));
    }
    if (members.stream().noneMatch(member -> member.memberId() == self.memberId())) {
      throw new ConfigException(
          ConfigKey.SYSMGR_MEMBERS.key()
              + " does not name member "
              + self.memberId()
              + ", which "
              + ConfigKey.SYSMGR_ID.key()
              + " says this is");
    }
    return List.copyOf(members);
  }

  private static SysmgrMember member(String text) {
    int equals = text.indexOf('=');
    int slash = text.indexOf('/');
    if (equals > 0 && slash > equals) {
      try {
        return new SysmgrMember(
            Integer.parseInt(text.substring(0, equals)),
            Endpoint.parse(text.substring(equals + 1, slash)),
            Endpoint.parse(text.substring(slash + 1)));
      } catch (IllegalArgumentException e) {
        throw new ConfigException(
            ConfigKey.SYSMGR_MEMBERS.key() + ": '" + text + "': " + e.getMessage());
      }
    }
    throw new ConfigException(
        ConfigKey.SYSMGR_MEMBERS.key()
            + ": expected ID=RPC_HOST:PORT/RATIS_HOST:PORT, got '"
            + text
            + "'");
  }
}
