/**
 * The cluster's configuration as a replicated state machine (DESIGN section 6, "SysMgr"): pure, no
 * IO, no clock, no random number. The leader draws those and puts them into commands; every member
 * applies the same commands in the same order and so holds the same {@link
 * org.weft.sysmgr.configuration.Configuration}.
 *
 * <p>{@link org.weft.sysmgr.configuration.ConfigurationMachine} decides and applies; the {@code
 * *Rule} classes decide one kind of command each; the {@code *Codec} classes turn commands, answers
 * and the state into protobuf. {@link org.weft.sysmgr.configuration.ReplicatedConfiguration} is
 * what a log drives; its thread owns the machine, everyone else sees immutable states.
 */
package org.weft.sysmgr.configuration;
