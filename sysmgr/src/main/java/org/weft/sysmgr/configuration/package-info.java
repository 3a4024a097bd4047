/**
 * The cluster's configuration as a replicated state machine (DESIGN section 6, "SysMgr"): pure, no
 * IO, no clock, no random number. The leader draws those and puts them into commands; every member
 * applies the same commands in the same order and so holds the same {@link
 * org.weft.sysmgr.configuration.state.Configuration}.
 *
 * <p>{@link org.weft.sysmgr.configuration.ConfigurationMachine} decides and applies. Each {@code
 * *Rule} class decides one kind of command in the {@code ConfigurationDraft} of the next state;
 * {@code ChangeEvents} finds what happened by comparing two states. {@link
 * org.weft.sysmgr.configuration.ReplicatedConfiguration} is what a log drives: its thread owns the
 * machine, and every other thread sees immutable states.
 *
 * <p>This package is on top, beside {@code restore}. Those below it use each other one way: {@code
 * stored} uses {@code command}, which uses {@code state}, which uses {@code node}, {@code volume}
 * and {@code nfs}; {@code cluster} is at the bottom.
 */
package org.weft.sysmgr.configuration;
