/**
 * A SysMgr in memory, for tests of OSDs, managers and clients: {@link
 * org.weft.testkit.sysmgr.FakeCluster} is the configuration, {@link
 * org.weft.testkit.sysmgr.FakeSysmgr} a member that answers for it over a transport. Any thread may
 * call either.
 */
package org.weft.testkit.sysmgr;
