package org.weft.cli.config;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Every key of {@code weft.conf}; the reference page {@code docs/configuration.md} is made from
 * this table.
 */
public enum ConfigKey {
  CLUSTER_NAME("cluster.name", "weft", "Name of the cluster, shown to people."),
  CLUSTER_SYSMGR(
      "cluster.sysmgr",
      "127.0.0.1:7300",
      "Where SysMgr listens: HOST:PORT, several separated by commas. Managers and OSDs join"
          + " there."),
  CLUSTER_JOIN_TOKEN_FILE(
      "cluster.join-token-file",
      "",
      "File with the cluster's join token. SysMgr writes it to `join-token` in its data directory;"
          + " copy it to every host that runs a manager or an OSD."),
  CLUSTER_SUPERUSER(
      "cluster.superuser",
      "",
      "User that owns `/` in a new cluster. Empty: the user that first starts SysMgr."),
  SECURITY_TRUSTED_NETWORK(
      "security.trusted-network",
      "false",
      "There is no TLS yet, so keys and data cross the network in clear. A daemon that listens on"
          + " anything but loopback refuses to start unless this is `true`."),
  LOCAL_SOCKETS(
      "local-sockets",
      "true",
      "Processes of this machine talk to the daemon over a socket of the machine in place of TCP:"
          + " about a third less CPU. They find it by themselves; `false`: TCP alone."),
  CONNECTIONS(
      "connections",
      "",
      "How many connections the daemon keeps; one more is refused. A quarter is for those that"
          + " signed a request. Empty: 4096, or half of the file descriptors that it may have."),
  CONNECTIONS_OF_HOST(
      "connections-of-host",
      "",
      "How many of them one host, or one user of this machine, may have, half of it without a"
          + " signed request. Raise it where a single host runs more clients. Empty: half of all."),
  HOST("host", "", "Fault domain of this machine. Empty: its host name."),
  SYSMGR_ID(
      "sysmgr.id",
      "",
      "Number of this SysMgr among `sysmgr.members`. Empty: the one whose data directory it is,"
          + " else 1."),
  SYSMGR_DATA("sysmgr.data", "", "Data directory of SysMgr."),
  SYSMGR_LISTEN("sysmgr.listen", "127.0.0.1:7300", "Address of SysMgr for clients and daemons."),
  SYSMGR_REST(
      "sysmgr.rest", "127.0.0.1:7301", "Address of the REST interface and the status page."),
  SYSMGR_RATIS(
      "sysmgr.ratis",
      "127.0.0.1:7302",
      "Address where this member listens for the other members of SysMgr. Members on other hosts"
          + " reach it only if it is an address of this host, not loopback."),
  SYSMGR_MEMBERS(
      "sysmgr.members",
      "",
      "All members of a new cluster, as ID=RPC_HOST:PORT/RATIS_HOST:PORT separated by commas; 1, 3"
          + " or 5 of them. Empty: this one alone. Later `weft sysmgr member` changes them, and"
          + " this key counts no more."),
  SYSMGR_UNUSABLE_OSD_SECONDS(
      "sysmgr.unusable-osd-seconds",
      "15",
      "For how long a manager must have been unable to use an OSD that SysMgr hears before SysMgr"
          + " gives the OSD up, so that the volume goes on without it, or goes to a backup that"
          + " reaches it; `off`: never, and no volume goes to its backup for that. Alike on every"
          + " member."),
  MANAGER_DATA("manager.data", "", "Data directory of a metadata manager: its journal."),
  MANAGER_LISTEN("manager.listen", "127.0.0.1:7310", "Address of the manager for clients."),
  MANAGER_ADVERTISED(
      "manager.advertised",
      "",
      "Address that others are told, where it differs from `manager.listen`."),
  MANAGER_MIN_OSDS(
      "manager.min-osds",
      "3",
      "How many OSDs must be up before the root volume of a new cluster is made."),
  MANAGER_CACHE(
      "manager.cache",
      "",
      "Memory for attributes and directory blocks that the OSDs hold as well, from 4M to three"
          + " quarters of the heap: a kilobyte for each file used lately, a third of it for those"
          + " used before, 90 bytes for a name. Empty: seven sixteenths of the heap."),
  MANAGER_BACKUP(
      "manager.backup",
      "true",
      "Whether volumes that this manager serves have a backup where there is another manager, on"
          + " another host if possible: it has every record of the journal before that is"
          + " acknowledged, and takes over when this manager is gone. Alike on every manager."),
  REPAIR_AFTER(
      "repair.after",
      "10m",
      "How long an OSD must be down before managers rebuild on others what files have there, as in"
          + " 90s, 10m or 2h; `off`: only what was on OSDs that `weft osd remove` has named. Where"
          + " another daemon has joined at the address of one that is down they do not wait. Each"
          + " manager counts from when it first heard so, and remembers each file that it rebuilt"
          + " until the OSD is back or removed: so many, of all its volumes and OSDs together, that"
          + " they take a sixteenth of the heap. Then nothing more is rebuilt for OSDs that may come"
          + " back, and `weft status` says so. Alike on every manager."),
  REPAIR_FILES_AT_ONCE(
      "repair.files-at-once",
      "4",
      "How many files of each volume a manager rebuilds at a time, up to 64: more of them heal"
          + " sooner and leave less to clients. What its own volumes leave of so many it copies for"
          + " volumes of other managers, so one volume may have as many under way as all managers"
          + " together, up to the number of its OSDs that are up. 0: none, for others neither, and"
          + " OSDs that are drained wait until it is more."),
  REPAIR_SHARE(
      "repair.share",
      "50",
      "In how many percent of the time each rebuild, and each copy from an OSD that is drained,"
          + " moves bytes, from 1 to 100. It pauses in the rest, after each piece of 256 KiB the"
          + " longer, the longer that piece took. While clients use an OSD it carries out one request"
          + " of all rebuilds, copies, repairs and checks at a time, and pauses so that they have this"
          + " share of its time at most, but for pauses of more than 5 s. Takes effect when the manager"
          + " starts."),
  SCRUB_PARITY_RATE(
      "scrub.parity.rate",
      "10M",
      "How many bytes a second, with K, M or G, a manager reads to compare the parity of files with"
          + " their data, for all its volumes and from all OSDs together: 10M are 12 TB in two weeks."
          + " Each file counts as 256 KiB at least. For a volume it reads one piece of 4 MiB at a time"
          + " and rests four times as long as that took, so that it makes way where OSDs are busy."
          + " What contradicts itself is named, and left as it is. `off`: nothing is read. Alike on"
          + " every manager."),
  SCRUB_PARITY_DAYS(
      "scrub.parity.days",
      "14",
      "How many days after a pass over all files the next one begins; where a pass lasts longer, at"
          + " once. 0: always at once, without waiting at the start of the manager."),
  MANAGER_METRICS(
      "manager.metrics",
      "",
      "Address of `/metrics` for Prometheus. Empty: the host of `manager.listen` and its port +"
          + " 1000; `off`: none. SysMgr has its own under `sysmgr.rest`."),
  MANAGER_NFS(
      "manager.nfs",
      "false",
      "Whether an NFS gateway runs in the process of the manager, with the keys `nfs.*` but"
          + " `nfs.metrics`: its figures stand with the manager's. The manager starts, serves and"
          + " stops whether the gateway does or not; one that does not start is tried again. A third"
          + " of the heap is the gateway's, and outside the heap it needs two and a quarter times"
          + " `nfs.memory`; `WEFT_JAVA_OPTS=-XX:MaxDirectMemorySize=2g` gives more. `false`: a gateway is a process of"
          + " its own, `weft nfs`."),
  NFS_LISTEN(
      "nfs.listen",
      "127.0.0.1:7350",
      "Address of an NFS gateway for clients; NFS and MOUNT share the port."),
  NFS_ADVERTISED(
      "nfs.advertised", "", "Address that people are shown, where it differs from `nfs.listen`."),
  NFS_PORTMAP(
      "nfs.portmap",
      "off",
      "Where clients find the port that name none: `own`, a portmapper of the gateway at port 111 of"
          + " the host of `nfs.listen`, which takes root; `host`, the rpcbind that runs there; `off`,"
          + " nowhere: mounts say `port=` and `mountport=`."),
  NFS_MEMORY(
      "nfs.memory",
      "",
      "Memory outside the heap for calls of clients and their replies, 8M at least; clients that find"
          + " none wait. Half as many bytes at most wait in memory after their reply and before"
          + " they are on stable storage; beyond that writes are stable. Whole stripes of these lie in"
          + " this memory, pieces of stripes on the heap. Besides, as many bytes at most are on their way to"
          + " OSDs, and a quarter of it is fetched ahead of readers. Empty: 256M; with `manager.nfs` a"
          + " quarter of the memory outside the heap if that is less."),
  NFS_HOST_IDS(
      "nfs.host-ids",
      "false",
      "Whether users and groups that `weft nfs id` does not know are looked up on the host of the"
          + " gateway (`getent`), before their numbers count as names. All gateways must have hosts that"
          + " say the same. Changing it changes owners of files: user 1000 owned them as `1000`, and is"
          + " `alice` then."),
  NFS_METRICS(
      "nfs.metrics",
      "",
      "Address of `/metrics` for Prometheus. Empty: the host of `nfs.listen` and its port + 1000;"
          + " `off`: none."),
  OSD_DATA("osd.data", "", "Data directory of an OSD."),
  OSD_LISTEN("osd.listen", "127.0.0.1:7400", "Address of the OSD for clients and managers."),
  OSD_ADVERTISED(
      "osd.advertised", "", "Address that others are told, where it differs from `osd.listen`."),
  OSD_CAPACITY(
      "osd.capacity",
      "",
      "Bytes the OSD may use, with K, M, G or T (powers of 1024). Empty: nine tenths of the free"
          + " space, divided by `osd.sharing-disk`."),
  OSD_METRICS(
      "osd.metrics",
      "",
      "Address of `/metrics` for Prometheus. Empty: the host of `osd.listen` and its port + 1000;"
          + " `off`: none."),
  OSD_SCRUB_DAYS(
      "osd.scrub-days",
      "14",
      "In how many days the OSD reads everything that it stores, to find bad blocks in time; `off`:"
          + " never. It goes slowly and makes way for clients."),
  OSD_RACK(
      "osd.rack",
      "",
      "Fault domain above the host. Where a BladeSet has as many racks as a parity group has"
          + " components, no two of these are in one rack. May change with a restart; what is stored"
          + " stays where it is. Empty: none; all OSDs without one count as one rack."),
  OSD_BLADESET(
      "osd.bladeset",
      "",
      "The BladeSet that a new OSD joins; it must be there (`weft bladeset create`). Counts at the"
          + " first start alone: later `weft bladeset grow` and `merge` decide. Empty: `default`."),
  OSD_SHARING_DISK("osd.sharing-disk", "1", "How many OSDs share the disk under `osd.data`."),
  OSD_DURABILITY(
      "osd.durability",
      "write-back",
      "`write-back` acknowledges data when the kernels of all its OSDs have it; `write-through`"
          + " when it is on their disks.");

  private final String key;
  private final String defaultValue;
  private final String description;

  ConfigKey(String key, String defaultValue, String description) {
    this.key = key;
    this.defaultValue = defaultValue;
    this.description = description;
  }

  public String key() {
    return key;
  }

  /** Used where the file says nothing; empty where the description says what that means. */
  public String defaultValue() {
    return defaultValue;
  }

  public String description() {
    return description;
  }

  static Optional<ConfigKey> named(String key) {
    return Arrays.stream(values()).filter(candidate -> candidate.key.equals(key)).findFirst();
  }

  /** Keys that are spelt like the text, the likest first; empty if none is. */
  static List<String> nearest(String text) {
    // Told as commands are that do not exist: by what picocli finds like them.
    CommandSpec keys = CommandSpec.create();
    for (ConfigKey each : values()) {
      keys.addSubcommand(each.key, CommandSpec.create());
    }
    return new UnmatchedArgumentException(new CommandLine(keys), List.of(text)).getSuggestions();
  }
}
